import { describe, expect, it } from 'vitest';
import {
  blockOf,
  type Checkpoint,
  checkpoint,
  checkpointOf,
  completedStepNames,
  outcomeOf,
} from '../../../../src/services/analysis/session/checkpoint.ts';
import { BLOCKS, SKIPPED_CLAIMS } from '../harness.ts';
import { ran, verdictRecord } from '../pipeline/blocks.ts';

const material: Checkpoint = {
  step: 'material',
  material: {
    mediaType: 'url',
    title: null,
    parts: {
      text: { text: 'A text.', language: 'en' },
      source_address: { url: 'https://example.org/' },
    },
    missing: { page: { code: 'web_service_lost', values: {} } },
  },
  degraded: [{ dependency: 'web', reason: 'timeout', effect: 'part_missing' }],
};
const techniques: Checkpoint = { step: 'techniques', outcome: ran(BLOCKS.techniques), degraded: [] };
const domain: Checkpoint = {
  step: 'domain',
  outcome: { state: 'lost', reason: { code: 'no_answer_in_time', values: { seconds: 10 } } },
  degraded: [],
};
const verdict: Checkpoint = {
  step: 'verdict',
  verdict: verdictRecord(),
  topic: null,
  enqueue: null,
  degraded: [],
};
const all = [material, techniques, SKIPPED_CLAIMS, domain, verdict];

describe('checkpoints', () => {
  it.each(all)('of the step $step are read as they were written', (each) =>
    expect(checkpoint.parse(JSON.parse(JSON.stringify(each)))).toEqual(each),
  );

  it.each<[string, unknown]>([
    ['no object', null],
    ['of no step', { ...techniques, step: 'weather' }],
    ['with the block of another component', { ...techniques, outcome: ran(BLOCKS.claims) }],
    ['without a material', { step: 'material', degraded: [] }],
    ['with a reason of no table', { ...domain, outcome: { state: 'lost', reason: 'the check failed' } }],
    ['with a verdict out of its scale', { ...verdict, verdict: verdictRecord({ risk_score: 101 }) }],
  ])('%s are refused', (_name, value) => expect(checkpoint.safeParse(value).success).toBe(false));

  it('are looked up by their step', () => {
    expect(completedStepNames(all)).toEqual(
      new Set(['material', 'techniques', 'claims', 'domain', 'verdict']),
    );
    expect(checkpointOf(all, 'material')?.material.parts.text?.text).toBe('A text.');
    expect(checkpointOf([material], 'verdict')).toBeUndefined();
    expect(outcomeOf(all, 'domain')?.state).toBe('lost');
    expect(blockOf(all, 'techniques')).toEqual(BLOCKS.techniques);
    expect(blockOf(all, 'claims')).toBeNull();
  });
});
