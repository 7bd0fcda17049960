import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { RecordingError } from '../../../src/media/recording/programs.ts';
import { createExaminationFolders } from '../../../src/services/video/examination-folders.ts';
import { filmFailure } from '../../../src/services/video/films.ts';
import { classifyProvenance, type Provenance } from '../../../src/services/video/provenance.ts';
import { chunksOf } from '../../../src/services/video/semantic.ts';
import { decideVerdict } from '../../../src/services/video/verdict.ts';
import type { FrameJudgements } from '../../../src/services/video/vision.ts';

const folder = mkdtempSync(join(tmpdir(), 'limpede-video-'));
afterAll(() => rmSync(folder, { recursive: true }));

const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const jpeg = Buffer.from('jpeg');
const judgedBy = (...scores: number[]): FrameJudgements => ({
  model: 'qwen',
  frameCount: 16,
  usage,
  judgements: scores.map((score, place) => ({
    score,
    reasons: ['The hand has six fingers.'],
    frames: [{ index: place, timeSec: 2.5, jpeg }],
  })),
});

it('a missing decoder is told like every other part that is not set up, and nobody is asked to come again', () => {
  expect(filmFailure(new RecordingError('program_missing'))).toMatchObject({
    code: 'decoder_missing',
    status: 500,
    headers: {},
  });
});

describe('a verdict', () => {
  it.each<[Provenance, number[], string, string]>([
    ['trusted_capture', [0.1, 0.1], 'REAL', 'A'],
    ['trusted_capture', [], 'REAL', 'A'],
    ['trusted_generation', [0], 'FAKE', 'A'],
    ['signed_generation', [0], 'FAKE', 'A'],
    ['changed', [1, 1], 'UNCERTAIN', 'C'],
    ['signed', [0], 'UNCERTAIN', 'C'],
    ['absent', [0, 0], 'UNCERTAIN', 'C'],
    ['absent', [1, 1], 'UNCERTAIN', 'C'],
    ['not_checked', [], 'UNCERTAIN', 'D'],
  ])('of a film that is %s with scores %j is %s (%s)', (provenance, scores, verdict, grade) => {
    const judged = decideVerdict({ provenance, frameJudgements: judgedBy(...scores) });
    expect(judged).toMatchObject({ verdict, evidence_grade: grade });
  });

  it('grows with the strongest score, within the cap of its family', () => {
    const of = (...scores: number[]) =>
      decideVerdict({ provenance: 'absent', frameJudgements: judgedBy(...scores) }).probability;
    expect(of(0.5)).toBeCloseTo(0.1);
    expect(of(0.2, 0.9)).toBe(of(0.9, 0.9));
    expect(of(0.85)).toBeGreaterThan(of(0.7));
    // Ten to one against, times e squared.
    expect(of(1)).toBeCloseTo(1 / (1 + 9 * Math.exp(-2)), 3);
    expect(decideVerdict({ provenance: 'changed', frameJudgements: judgedBy(1) }).probability).toBeLessThan(
      0.8,
    );
  });

  it('says in both languages what was seen, when, and what was not', () => {
    const { explanation, explanation_ro } = decideVerdict({
      provenance: 'absent',
      frameJudgements: judgedBy(0.9),
    });
    expect(explanation).toContain('at 2.5 s');
    expect(explanation).toContain('six fingers');
    expect(explanation).toContain('Not seen');
    expect(explanation_ro).toContain('secundele 2,5');
    expect(explanation_ro).toContain('Nu s-a văzut');
  });

  it('has no score of a model that only describes', () => {
    const { signals, probability } = decideVerdict({
      provenance: 'absent',
      frameJudgements: { model: 'limpede-vision-1', judgements: [], frameCount: 0, usage },
    });
    expect(probability).toBeCloseTo(0.1);
    expect(signals.map(({ group, applicable }) => [group, applicable])).toEqual([
      ['provenance', false],
      ['vision_model', false],
    ]);
  });
});

describe('the origin of a film', () => {
  const action = (name: string, type: string | null = 'digitalCapture') => ({
    action: name,
    digital_source_type: type,
    software_agent: null,
    at: null,
  });
  const manifest = {
    label: 'one',
    title: null,
    made_by: null,
    claim_version: 2,
    signature: null,
    actions: [action('c2pa.created')],
    ingredients: [],
    assertions: [],
  };
  const history = {
    state: 'valid' as const,
    reason: null,
    trusted: true,
    content: 'unchanged' as const,
    ai_origin: null,
    digital_source_types: ['digitalCapture'],
    remote_url: null,
    active: 'one',
    manifests: [manifest],
    failures: [],
  };
  const edited = { ...manifest, actions: [action('c2pa.created'), action('c2pa.edited', null)] };

  it.each<[string, Parameters<typeof classifyProvenance>[0], Provenance]>([
    ['a trusted capture', history, 'trusted_capture'],
    ['not trusted by anybody', { ...history, trusted: null }, 'signed'],
    ['edited since', { ...history, manifests: [edited] }, 'signed'],
    [
      'made of something else',
      { ...history, digital_source_types: ['digitalCapture', 'composite'] },
      'signed',
    ],
    ['of unknown making', { ...history, digital_source_types: [] }, 'signed'],
    ['generated, by a trusted word', { ...history, ai_origin: 'generated' }, 'trusted_generation'],
    ['edited by a model', { ...history, ai_origin: 'edited', trusted: false }, 'signed_generation'],
    ['changed', { ...history, state: 'invalid', content: 'changed', ai_origin: 'generated' }, 'changed'],
    ['invalid in an old format', { ...history, state: 'invalid' }, 'signed'],
    ['not comparable', { ...history, content: 'not_checked' }, 'signed'],
    ['unsigned', { ...history, state: 'absent', content: null, trusted: null }, 'absent'],
    ['kept elsewhere', { ...history, state: 'remote' }, 'not_checked'],
    ['unknown', undefined, 'not_checked'],
  ])('is %s', (_name, found, expected) => {
    expect(classifyProvenance(found)).toBe(expected);
  });
});

describe('the parts of a film', () => {
  it.each([
    [25, 10, ['0-10', '10-20', '20-25']],
    [20.1, 10, ['0-10', '10-20.1']],
    [0.05, 10, ['0-0.05']],
    [3, 60, ['0-3']],
  ])('of %d s in steps of %d s are %j', (duration, step, expected) => {
    expect(chunksOf(duration, step).map(({ fromSec, toSec }) => `${fromSec}-${toSec}`)).toEqual(expected);
  });
});

describe('the folder of an examination', () => {
  it('holds frames and result until its time is over', async () => {
    const runs = createExaminationFolders(folder, () => 60);
    const run = await runs.begin('first');
    await run.keepFrames([{ index: 7, timeSec: 0, jpeg }]);
    await run.keepResult({ verdict: 'UNCERTAIN' });
    const path = join(folder, run.folder);
    const content = readdirSync(path, { recursive: true }).sort();
    expect(content).toEqual(['frames', 'frames/000007.jpg', 'result.json']);
    expect(JSON.parse(readFileSync(join(path, 'result.json'), 'utf8'))).toEqual({ verdict: 'UNCERTAIN' });
    await (await runs.begin('second')).discard();
    await runs.begin('third');
    const old = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(path, old, old);
    await runs.sweep();
    expect(readdirSync(join(folder, 'video', 'runs'))).toEqual(['third']);
  });
});
