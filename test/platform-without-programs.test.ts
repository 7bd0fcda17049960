import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../src/foundation/files.ts';
import {
  createEnvironment,
  type Environment,
  limpede,
  type Program,
  runBeside,
  talkTo,
} from './running-platform.ts';
import { tone } from './services/extractors/sounds.ts';
import { photoLike } from './services/forensic/pictures.ts';

/** A folder that is there, and is no link to another one. */
const isFolder = (path: string) => existsSync(path) && lstatSync(path).isDirectory();
const optional = packageFile('optional');
/** Programs, the data of Tesseract, and whatever was installed on demand. */
const HIDDEN = [
  ...['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'],
  packageFile('node_modules', '@tesseract.js-data'),
  ...readdirSync(optional).map((name) => join(optional, name, 'node_modules')),
].filter(isFolder);
/** Runs a command on this machine as if all these were empty, but for Node. */
const BARE = [
  ...['/usr/bin/bwrap', '--dev-bind', '/', '/', '--die-with-parent'],
  ...HIDDEN.flatMap((folder) => ['--tmpfs', folder]),
  ...['--ro-bind', process.execPath, process.execPath],
];
const [BUBBLEWRAP = '', ...arguments_] = BARE;
const works = spawnSync(BUBBLEWRAP, [...arguments_, process.execPath, '--version']).status === 0;

const TEXT =
  'They are HIDING the truth from you! Doctors admit that this one trick destroys the virus overnight. Share this before it is deleted!';

describe.skipIf(!works)(`a machine with nothing but Node${works ? '' : ' (no bubblewrap here)'}`, () => {
  let place: Awaited<ReturnType<typeof createEnvironment>>;
  let environment: Environment;
  let program: Program | undefined;
  let talk: ReturnType<typeof talkTo>;
  let token: string;
  beforeAll(async () => {
    place = await createEnvironment();
    environment = place.environment;
    talk = talkTo(environment);
    program = await runBeside(environment, [], BARE);
    token = await talk.token({ user: 'ana' });
  });
  afterAll(async () => {
    program?.child.kill('SIGTERM');
    await program?.ended;
    await place?.remove();
  });

  const send = async (service: string, path: string, file: Uint8Array) => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(file)]));
    const url = `http://127.0.0.1:${environment[`${service}_PORT`]}${path}`;
    const response = await fetch(url, { method: 'POST', body: form });
    // biome-ignore lint/suspicious/noExplicitAny: answers of several services
    return { status: response.status, body: (await response.json()) as any };
  };
  const analyse = async (media_type: string, file: Uint8Array) => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(file)]));
    const request = new Request('http://localhost/', { method: 'POST', body: form });
    const uploaded = await talk.ask('/api/v3/media/upload', {
      token,
      body: new Uint8Array(await request.arrayBuffer()),
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
    });
    expect(uploaded.status, uploaded.text).toBe(200);
    const body = { media_type, media_url: uploaded.body.data.media_url };
    const answered = await talk.ask('/api/v3/pipeline/analyze', { token, body });
    expect(answered.status, answered.text).toBe(200);
    return answered.body.data;
  };
  const picture = async () => {
    const { width, height, rgb } = photoLike(640, 360, 3);
    return sharp(rgb, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 85 })
      .toBuffer();
  };

  it('judges texts as everywhere', async () => {
    const answered = await talk.ask('/api/v3/pipeline/analyze', {
      token,
      body: { media_type: 'text', text: TEXT },
    });
    expect(answered.body.data).toMatchObject({ status: 'completed', risk_score: expect.any(Number) });
    expect(answered.body.data.techniques.manipulation_score).toBeGreaterThan(0);
  });

  it('examines pictures and says that nothing reads their text', async () => {
    const session = await analyse('image', await picture());
    expect(
      session.ai_tampered.image_analysis.detectors.map((one: { applicable: boolean }) => one.applicable),
    ).toContain(true);
    expect(session.degraded.map((one: { dependency: string }) => one.dependency)).not.toContain('extractors');
    const limits = JSON.stringify(session);
    expect(limits).toContain('nothing that reads it is installed');
    expect(limits).not.toContain('the extraction service did not answer');
  });

  it('reads what files say of themselves, and names each part that it lacks', async () => {
    const file = await picture();
    const metadata = await send('EXTRACTORS', '/v1/metadata', file);
    expect(metadata.body).toMatchObject({ mime_type: 'image/jpeg', degraded: [] });
    const lacks = { reason: 'engine_missing' };
    expect((await send('EXTRACTORS', '/v1/ocr', file)).body).toMatchObject({ text: null, degraded: [lacks] });
    expect((await send('EXTRACTORS', '/v1/detect', file)).body.degraded).toMatchObject([lacks, lacks, lacks]);
    const sound = await send('EXTRACTORS', '/v1/metadata', tone(440, 1));
    expect(sound.body).toMatchObject({ container: null, degraded: [{ part: 'container', ...lacks }] });
    const refused = await send('FORENSIC', '/v1/analyze/recording', tone(440, 1));
    expect(refused).toMatchObject({ status: 503, body: { detail: { error: 'decoder_missing' } } });
  });

  it('ends an analysis of a sound with the reason', async () => {
    const session = await analyse('audio', tone(440, 3));
    expect(session.status).toBe('completed');
    expect(JSON.stringify(session)).toContain('The programs that read recordings are not installed');
  });

  it('is told by the doctor how to get each of them', async () => {
    const doctor = limpede(['doctor', '--json'], environment, BARE);
    await doctor.ended;
    const found: { name: string; state: string; words: string }[] = JSON.parse(doctor.output.out);
    const told = (name: string) => found.find((one) => one.name === name)?.words;
    expect(told('Recordings')).toContain('apt install ffmpeg');
    expect(told('Sandbox')).toContain('install bubblewrap');
    expect(told('Text in pictures, en')).toContain('npm install');
    expect(told('Text in pictures, ro')).toContain('npm install');
    expect(told('ONNX runtime')).toContain('limpede setup onnx');
    expect(told('Recognition')).toContain('limpede setup recognition');
    expect(told('video')).toMatch(/^unhealthy at .*: install ffmpeg/);
    expect(told('extractors')).toMatch(/^degraded at .*the data of en, ro is not installed.*install ffmpeg/);
    expect(told('forensic')).toMatch(/^degraded at .*: install ffmpeg/);
  });
});
