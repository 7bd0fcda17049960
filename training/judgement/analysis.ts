import { readFileSync } from 'node:fs';
import { packageFile } from '../../src/foundation/files.ts';
import type { Run } from '../../src/services/analysis/components/component.ts';
import { componentList } from '../../src/services/analysis/components/index.ts';
import { absentTextModel } from '../../src/services/analysis/dependencies/text-model/text-model.ts';
import { encodeByTurns } from '../../src/services/analysis/engines/encoding/text-encoding.ts';
import { readable } from '../../src/services/analysis/engines/plain-text.ts';
import type { TextEngines } from '../../src/services/analysis/engines/text-engines.ts';
import { patientTurn } from '../../src/services/analysis/engines/text-engines.ts';
import * as worker from '../../src/services/analysis/engines/text-engines-worker.ts';
import { createConclude } from '../../src/services/analysis/pipeline/conclude.ts';
import { makePlan } from '../../src/services/analysis/pipeline/plan.ts';
import { COMPONENTS } from '../../src/services/analysis/resources/component-name.ts';
import type { VerdictResult } from '../../src/services/analysis/resources/verdict-result.ts';
import { shippedVerdictRules } from '../../src/services/analysis/resources/verdict-rules.ts';
import type { Checkpoint } from '../../src/services/analysis/session/checkpoint.ts';
import type { Material } from '../../src/services/analysis/session/material.ts';
import type { Submission } from '../../src/services/analysis/session/submission.ts';
import { identifyLanguage } from '../../src/text/language.ts';
import { loadLinear } from '../../src/text/linear.ts';

/** What an analysis of a bare text ends with, and the score of the wording alone. */
export interface Judged {
  readonly verdict: VerdictResult;
  /** 0 to 100. */
  readonly manipulation: number;
  /** Techniques found, with their passages. */
  readonly findings: readonly string[];
}

const language = loadLinear(readFileSync(packageFile('models', 'language.bin')));
const identify = (text: string) => identifyLanguage(language, readable(text).text).code;
/** The encoding of the last text: two steps of an analysis ask for it, as they do of the product's cache. */
let last: { readonly text: string; readonly encoding: Awaited<ReturnType<typeof encodeByTurns>> } | undefined;
async function encodedOnce(input: Parameters<typeof encodeByTurns>[1]) {
  const known =
    last?.text === input.text ? last : { text: input.text, encoding: await encodeByTurns(worker, input) };
  last = known;
  return { encoding: known.encoding };
}

/** The engines of a worker thread, called here. */
const engines: TextEngines = {
  techniques: (input) => worker.techniques(input),
  claims: (input) => worker.claims(input),
  aiText: (input) => worker.aiText(input),
  context: (input) => worker.context(input),
  encode: encodedOnce,
  identify,
  probe: async () => undefined,
  close: async () => undefined,
};
const tools = {
  engines,
  model: absentTextModel,
  domainCheck: undefined,
  verification: undefined,
  pictures: undefined,
  vision: undefined,
  pagePictures: undefined,
  recordings: {
    transcribe: async () => ({ lost: 'unavailable' as const }),
    drawOverview: async () => ({ lost: 'unavailable' as const }),
    examine: async () => ({ lost: 'unavailable' as const, dependency: 'forensic' as const }),
  },
};
const rulesSource = { current: async () => shippedVerdictRules, ofVersion: async () => shippedVerdictRules };
const conclude = createConclude(engines, absentTextModel, async () => 0, rulesSource);
const run: Run = { ...patientTurn('evaluation'), correlationId: 'evaluation', planType: 1, assignments: {} };

/** Analyses a text as the product does with no text model, no evidence and no source: by its own engines, in this thread. */
export async function analyseText(text: string, given?: string): Promise<Judged> {
  const submission: Submission = {
    mediaType: 'text',
    text,
    url: null,
    mediaUrl: null,
    userId: 'evaluation',
    account: 'evaluation',
    userEmail: null,
    sourceApp: 'evaluation',
    planType: 1,
    components: [...COMPONENTS],
    skipped: [],
    userFlagged: false,
    inputHash: '',
  };
  const plan = makePlan(submission, shippedVerdictRules);
  const parts = { text: { text, language: given ?? identify(text) } };
  const material: Material = { mediaType: 'text', title: null, parts, missing: {} };
  const prepared = { step: 'material' as const, material, degraded: [] };
  const checkpoints: Checkpoint[] = [prepared];
  for (const { name } of plan.steps) {
    if (name === 'material' || name === 'verdict') continue;
    const answer = await componentList[name].create(tools)(material, run);
    if (!('block' in answer)) continue;
    const { degraded, ...ran } = answer;
    checkpoints.push({
      step: name,
      outcome: { state: 'ran', ...ran },
      degraded: [...degraded],
    } as Checkpoint);
  }
  const { verdict } = await conclude(
    { submission, plan } as Parameters<typeof conclude>[0],
    prepared,
    checkpoints,
    run,
  );
  const own = await engines.techniques(parts.text, run);
  return {
    verdict: verdict as VerdictResult,
    manipulation: own.manipulation_score,
    findings: own.techniques_detected.map(
      ({ code, confidence, spans }) =>
        `${code} ${confidence.toFixed(2)}: ${spans.map(({ quote }) => quote.slice(0, 70)).join(' / ')}`,
    ),
  };
}
