import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import { analysisSession } from '../../../../src/services/analysis/resources/analysis-session.ts';
import { freshHome, silent } from '../../../foundation/database/engines.ts';
import { eventually } from '../../../patience.ts';
import { forensicRecording, looked, told } from '../engines/ai-recording/recordings.ts';
import { FILM, noEngine, SAID, soundFile, startRecordingServices, transcript } from './recording-services.ts';
import { type RunningAnalysis, startAnalysis } from './running-analysis.ts';

const home = freshHome();
let folder: string;
let database: Database;
let services: Awaited<ReturnType<typeof startRecordingServices>>;
let service: RunningAnalysis;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'limpede-recording-sessions-'));
  database = await openDatabase({ home: home.home, log: silent });
  services = await startRecordingServices();
  service = await startAnalysis(database, { SPEECH_URL: services.url, FORENSIC_URL: services.url }, folder);
  url = await service.listen();
});
afterAll(async () => {
  await service.close();
  services.close();
  await rm(folder, { recursive: true });
  await database.close();
  home.remove();
});
beforeEach(() => {
  services.state.speech = [200, transcript()];
  services.state.forensic = [200, forensicRecording([told(1.2)])];
  services.state.asked.length = 0;
  services.state.hold = undefined;
});

async function upload(bytes: Buffer): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([Uint8Array.from(bytes)]), 'a.wav');
  const headers = { authorization: 'Bearer clients/ana/user' };
  const answer = await fetch(`${url}/api/v3/media/upload`, { method: 'POST', body, headers });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { data: { media_url: string } }).data.media_url;
}

async function analyze(path = 'pipeline/analyze-media', more: object = {}) {
  const body = { media_type: 'audio', media_url: await upload(soundFile()), ...more };
  const answer = await service.ask('POST', `/api/v3/${path}`, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return analysisSession.parse(answer.body.data);
}

const lostParts = (session: Awaited<ReturnType<typeof analyze>>) =>
  session.degraded.filter(({ effect }) => effect !== 'own_engine').map(({ dependency }) => dependency);

describe('a sound', () => {
  it('is heard once, and what is said is analysed like a text, with times', async () => {
    const session = await analyze();
    expect(session).toMatchObject({
      status: 'completed',
      input_text: `${SAID[0]?.text} ${SAID[1]?.text}\n${SAID[2]?.text}`,
      input_language: 'en',
      components_run: ['techniques', 'ai_tampered', 'claims'],
      recording: { duration_s: 16, voiced_s: 12, speech_engine: { model: 'large' } },
    });
    expect(session.recording?.transcript.map(({ text, start_s }) => [start_s, text])).toEqual(
      SAID.map(({ start, text }) => [start, text]),
    );
    expect(lostParts(session)).toEqual([]);
    const spans = session.techniques?.techniques_detected.flatMap((item) => item.spans) ?? [];
    expect(spans.length).toBeGreaterThan(0);
    for (const { quote, start_s: start, end_s: end } of spans) {
      const first = SAID.find(({ text }) => text.includes(quote.slice(0, 10)));
      expect([start, end]).not.toContain(undefined);
      expect(start).toBe(first?.start);
    }
    const claim = session.claims?.claims_verified.find(({ text }) => text.includes('40 million'));
    expect(claim?.span).toMatchObject({ start_s: 12, end_s: 15.5 });
    expect(services.state.asked).toEqual(['/v1/audio/transcriptions', '/v1/analyze/recording']);
  });

  it('is examined: score, detectors, range and grade', async () => {
    const { ai_tampered: ai } = await analyze('ai-tampered/analyze-media');
    expect(ai).toMatchObject({
      verdict: 'inconclusive',
      evidence_grade: 'C',
      content_type: 'audio',
      recording_analysis: { tracks: [{ track: 'sound', detectors: [{ detector: 'digital_silence' }] }] },
    });
    const [low = 0, high = 0] = ai?.recording_analysis?.tracks[0]?.fusion.range ?? [];
    expect(low).toBeLessThan(ai?.ai_probability ?? 0);
    expect(high).toBeGreaterThanOrEqual(ai?.ai_probability ?? 100);
  });

  it.each(['techniques', 'claims', 'source-assessment'])('can be sent to the group %s', async (group) => {
    const session = await analyze(`${group}/analyze-media`);
    expect(session.status).toBe('completed');
    if (group === 'source-assessment') expect(session.components_skipped).toContain('domain');
    else expect(session.components_run).toEqual([group]);
  });

  it('without a speech engine completes, says so in both languages, and is examined all the same', async () => {
    services.state.speech = [200, noEngine()];
    services.state.forensic = [200, forensicRecording([looked()])];
    const session = await analyze();
    expect(session).toMatchObject({ status: 'completed', input_text: null, components_run: ['ai_tampered'] });
    const why = session.skipped.find(({ component }) => component === 'claims');
    expect(why).toMatchObject({ code: 'speech_no_engine' });
    expect(why?.reason_ro).toMatch(/motor de transcriere/);
    expect(session.recording).toMatchObject({ duration_s: 16, transcript: [] });
    expect(lostParts(session)).toEqual([]);
  });

  it('by an engine that hears many words wrong is shown, and nothing is found in it or searched for', async () => {
    const lacks = { dependency: 'speech_engine', reason: 'low_confidence', message: 'x', message_ro: 'x' };
    services.state.speech = [200, { ...transcript(), degraded: [lacks] }];
    const session = await analyze('pipeline/analyze-media', { language: 'en' });
    expect(session).toMatchObject({ status: 'completed', input_text: null, components_run: ['ai_tampered'] });
    for (const component of ['techniques', 'claims']) {
      const why = session.skipped.find((one) => one.component === component);
      expect(why).toMatchObject({ code: 'speech_low_confidence' });
      expect(why?.reason_ro).toMatch(/aude greșit/);
    }
    expect(session.recording?.transcript.map(({ text, judged }) => [text, judged])).toEqual(
      SAID.map(({ text }) => [text, false]),
    );
    expect(session.recording?.left_out).toMatchObject([{ part: 'spoken_words' }]);
  });

  it.each([
    ['speech', 'claims', 'speech_lost'],
    ['forensic', 'ai_tampered', 'recording_examination_lost'],
  ] as const)('completes when %s is lost, and names it', async (name, component, code) => {
    services.state[name] = [500, {}];
    const session = await analyze();
    expect(session.status).toBe('completed');
    expect(lostParts(session)).toEqual([name]);
    expect(session.skipped).toContainEqual(expect.objectContaining({ component, code }));
  });

  it.each([
    ['en-GB', 'en'],
    [' RO ', 'ro'],
    ['auto-detect!', null],
    [undefined, null],
  ])('is heard in the language that its sender names: %s', async (language, named) => {
    const lacks = { dependency: 'speech_engine', reason: 'low_confidence', message: 'x', message_ro: 'x' };
    services.state.speech = [200, { ...transcript(), degraded: named === 'en' ? [lacks] : [] }];
    const session = await analyze('pipeline/analyze-media', { language });
    expect(services.state.spoken).toBe(named);
    expect(session.recording?.speech_engine).toMatchObject({ low_confidence: named === 'en' });
  });

  it('of the queues keeps its transcript through a resume', async () => {
    const body = { media_type: 'audio', media_url: await upload(soundFile()) };
    const { body: accepted } = await service.ask('POST', '/api/v3/claims/analyze-async', { body });
    const path = `/api/v3/pipeline/sessions/${accepted.data.session_id}`;
    await eventually(async () => {
      const { body: status } = await service.ask('GET', `${path}/status`);
      expect(status.data.status).toBe('completed');
    });
    const { body: found } = await service.ask('GET', path);
    expect(found.data.recording.transcript).toHaveLength(SAID.length);
    expect(services.state.asked).toEqual(['/v1/audio/transcriptions']);
  });

  it('is left alone as soon as its session is canceled', async () => {
    let release = () => {};
    services.state.hold = new Promise((resolve) => {
      release = resolve;
    });
    const before = services.state.left;
    const body = { media_type: 'audio', media_url: await upload(soundFile()) };
    const { body: accepted } = await service.ask('POST', '/api/v3/pipeline/analyze-async', { body });
    const path = `/api/v3/pipeline/sessions/${accepted.data.session_id}`;
    await eventually(async () => expect(services.state.asked).toHaveLength(1));
    const { body: canceled } = await service.ask('POST', `${path}/cancel`, { body: {} });
    expect(canceled.data.status).toBe('canceled');
    await eventually(async () => expect(services.state.left).toBe(before + 1));
    release();
  });
});

describe('a video', () => {
  let watching: RunningAnalysis;
  const watch = async (more: object = {}) => {
    const body = { media_type: 'video', media_url: await upload(FILM), ...more };
    const answer = await watching.ask('POST', '/api/v3/pipeline/analyze-media', { body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return analysisSession.parse(answer.body.data);
  };
  beforeAll(async () => {
    const [SPEECH_URL, FORENSIC_URL, VIDEO_URL, EXTRACTORS_URL] = Array.from(
      { length: 4 },
      () => services.url,
    );
    const environment = { SPEECH_URL, FORENSIC_URL, VIDEO_URL, EXTRACTORS_URL } as Record<string, string>;
    watching = await startAnalysis(database, environment, folder);
  });
  afterAll(() => watching.close());
  beforeEach(() => {
    services.state.vision = 'healthy';
  });

  it('is heard, drawn, examined and watched, and what is written in it stands after what is said', async () => {
    const session = await watch();
    expect(session.input_text?.endsWith('\n\nCALL THIS SECRET NUMBER NOW')).toBe(true);
    const last = session.recording?.transcript.at(-1);
    expect(last).toMatchObject({
      kind: 'screen',
      start_s: 4,
      end_s: 12,
      text: 'CALL THIS SECRET NUMBER NOW',
    });
    const frames = session.recording?.frames ?? [];
    expect(frames.map(({ timestamp_s: at }) => at)).toEqual([4, 12]);
    const path = (frames[0]?.picture?.media_url ?? '').replace(/^.*?\/agent-v3/, '');
    expect((await service.ask('GET', path)).status).toBe(200);
    const ai = session.ai_tampered;
    expect(ai).toMatchObject({
      verdict: 'inconclusive',
      evidence_grade: 'C',
      content_type: 'video',
      recording_analysis: {
        video: {
          verdict: 'UNCERTAIN',
          frames: [{ index: 40, timestamp_s: 12 }],
          summary: 'A man waves his hands.',
          chunks: [{ start_s: 0, end_s: 16, description: 'A man waves.' }],
          left_out: [],
        },
      },
    });
    const tracks = ai?.recording_analysis?.tracks.map(({ ai_probability }) => ai_probability ?? 0) ?? [];
    expect(ai?.ai_probability).toBe(Math.max(...tracks));
    expect(ai?.indicators_detected).toContainEqual(
      expect.objectContaining({ dependency: 'video', where: { start_s: 12, end_s: 12 } }),
    );
    await service.ask('DELETE', `/api/v3/pipeline/sessions/${session.session_id}`);
    expect((await service.ask('GET', path)).status).toBe(404);
  });

  it('that no vision model looks at says so, at no cost', async () => {
    services.state.vision = 'unknown';
    const session = await watch();
    expect(session.ai_tampered?.recording_analysis?.video).toMatchObject({
      verdict: null,
      left_out: [
        { part: 'judgement', code: 'frames_unwatched' },
        { part: 'description', code: 'frames_unwatched' },
      ],
    });
    // The metadata are asked of a server that has none.
    expect(lostParts(session)).not.toContain('video');
  });

  it('of which a part is lost completes and names it', async () => {
    const { described } = services.state;
    services.state.described = [500, {}];
    services.state.overview = [500, {}];
    const session = await watch();
    services.state.described = described;
    expect(session.status).toBe('completed');
    expect(lostParts(session)).toEqual(['extractors', 'video']);
    expect(session.ai_tampered?.recording_analysis?.video).toMatchObject({
      verdict: 'UNCERTAIN',
      summary: null,
      left_out: [{ part: 'description', code: 'video_lost' }],
    });
    expect(session.recording).toMatchObject({ frames: [], waveform: null });
  });
});

describe('a direct analysis that takes longer than an answer may', () => {
  it('answers its session as it stands, where it can be followed, and goes on', async () => {
    const hasty = await startAnalysis(
      database,
      { SPEECH_URL: services.url, FORENSIC_URL: services.url, ANALYSIS_DIRECT_ANSWER_MS: '100' },
      folder,
    );
    let release = () => {};
    services.state.hold = new Promise((resolve) => {
      release = resolve;
    });
    try {
      const body = { media_type: 'audio', media_url: await upload(soundFile()) };
      const answer = await hasty.ask('POST', '/api/v3/pipeline/analyze-media', { body });
      expect(answer.status).toBe(200);
      const session = analysisSession.parse(answer.body.data);
      expect(session).toMatchObject({ status: 'running', verdict: null });
      const poll = `/api/v3/pipeline/sessions/${session.session_id}/status`;
      expect(answer.headers.location).toBe(`/agent-v3${poll}`);
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      release();
      await eventually(async () => {
        const { body: status } = await hasty.ask('GET', poll);
        expect(status.data.status).toBe('completed');
      });
    } finally {
      release();
      await hasty.close();
    }
  });
});

describe('the stages of a long recording', () => {
  const stagesOf = (text: string) =>
    [...text.matchAll(/^event: stage\.started\n(?:id: \d+\n)?data: (.*)$/gm)].map(([, data]) => {
      const { component, stage, status } = JSON.parse(data ?? '{}');
      return [component, stage, status];
    });

  it('appear in its status while they run, and in its events', async () => {
    let release = () => {};
    services.state.hold = new Promise((resolve) => {
      release = resolve;
    });
    const body = { media_type: 'audio', media_url: await upload(soundFile()) };
    const { body: accepted } = await service.ask('POST', '/api/v3/pipeline/analyze-async', { body });
    const path = `/api/v3/pipeline/sessions/${accepted.data.session_id}`;
    await eventually(async () => {
      const { body: status } = await service.ask('GET', `${path}/status`);
      expect(status.data.running_stages).toEqual([
        expect.objectContaining({ component: null, stage: 'transcription' }),
      ]);
      expect(status.data.progress).toBeGreaterThan(0);
      expect(status.data.progress).toBeLessThan(1 / 4);
    });
    release();
    await eventually(async () => {
      const { body: status } = await service.ask('GET', `${path}/status`);
      expect(status.data).toMatchObject({ status: 'completed', progress: 1, running_stages: [] });
    });
    const headers = { authorization: 'Bearer clients/ana/user' };
    const events = await (await fetch(`${url}${path}/events`, { headers })).text();
    expect(stagesOf(events)).toEqual([
      [null, 'medium', 'running'],
      [null, 'transcription', 'running'],
      [null, 'overview', 'running'],
      ['ai_tampered', 'examination', 'running'],
    ]);
  });

  it('are told of a run within the request, too', async () => {
    const { session_id: id } = await analyze('ai-tampered/analyze-media');
    const headers = { authorization: 'Bearer clients/ana/user' };
    const events = await (await fetch(`${url}/api/v3/pipeline/sessions/${id}/events`, { headers })).text();
    expect(stagesOf(events).map(([, stage]) => stage)).toEqual(
      expect.arrayContaining(['transcription', 'examination']),
    );
  });
});

describe('a sound that is too long', () => {
  it.each([
    ['as its sender says', { media_duration_sec: 421 }],
    ['as a video', { media_type: 'video', media_duration_sec: 181 }],
  ])('is refused before anything is heard, %s', async (_name, more) => {
    const body = { media_type: 'audio', media_url: await upload(soundFile()), ...more };
    const answer = await service.ask('POST', '/api/v3/pipeline/analyze-media', { body });
    expect([answer.status, answer.body.error_code]).toEqual([400, 'media_too_long']);
    expect(services.state.asked).toEqual([]);
  });

  it('ends its session when only the decoder found out', async () => {
    services.state.speech = [200, { ...transcript(), duration: 500 }];
    const body = { media_type: 'audio', media_url: await upload(soundFile()) };
    const answer = await service.ask('POST', '/api/v3/pipeline/analyze-media', { body });
    expect(answer.body.data).toMatchObject({ status: 'failed', error_code: 'media_too_long' });
    expect(services.state.asked).toEqual(['/v1/audio/transcriptions']);
  });
});
