import { readFileSync } from 'node:fs';
import { packageFile } from '../../src/foundation/files.ts';
import type { RunContext } from '../../src/services/analysis/components/component.ts';
import { componentList } from '../../src/services/analysis/components/index.ts';
import { absentTextModel } from '../../src/services/analysis/dependencies/text-model/text-model.ts';
import {
  encodeInSteps,
  isReadForWhole,
  type SentenceEncodings,
} from '../../src/services/analysis/engines/encoding/text-encoding.ts';
import { toPlainText } from '../../src/services/analysis/engines/plain-text.ts';
import type { TextEngines } from '../../src/services/analysis/engines/text-engines.ts';
import { untimedTask } from '../../src/services/analysis/engines/text-engines.ts';
import * as worker from '../../src/services/analysis/engines/text-engines-worker.ts';
import { makePlan } from '../../src/services/analysis/pipeline/plan.ts';
import { createVerdictMaker } from '../../src/services/analysis/pipeline/verdict-maker.ts';
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
const identify = (text: string) => identifyLanguage(language, toPlainText(text).text).code;
/** What the encoder says of a sentence depends on nothing else: sets of texts that differ by one sentence are read much sooner. */
const known = new Map<string, SentenceEncodings>();
const MOST_KNOWN = 20_000;
async function sentenceOnce(quote: string, language: string): Promise<SentenceEncodings> {
  const key = `${language} ${quote}`;
  const read = known.get(key) ?? (await worker.vectors({ quotes: [quote], language }));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, read);
  return read;
}

const together = (lists: readonly Float32Array[]) => Float32Array.from(lists.flatMap((list) => [...list]));
async function vectorsOnce({
  quotes,
  language,
  part = { from: 0, of: quotes.length },
}: Parameters<typeof worker.vectors>[0]): Promise<SentenceEncodings> {
  const read: SentenceEncodings[] = [];
  for (const quote of quotes) read.push(await sentenceOnce(quote, language));
  const vectors = together(read.map((one) => one.vectors));
  const pieces = read.flatMap((one) => one.pieces ?? []);
  const scores = read.flatMap(({ whole }, at) =>
    whole === undefined ? [] : isReadForWhole(part.from + at, part.of) ? whole : Float32Array.of(Number.NaN),
  );
  const whole = scores.length === 0 ? undefined : together(scores);
  const [first] = pieces;
  if (first === undefined) return { vectors, whole };
  return {
    vectors,
    whole,
    pieces: {
      columns: first.columns,
      bounds: Uint32Array.from(pieces.flatMap(({ bounds }) => [...bounds])),
      numbers: together(pieces.map(({ numbers }) => numbers)),
      counts: pieces.flatMap(({ counts }) => counts),
    },
  };
}
const encode = async (input: Parameters<TextEngines['encode']>[0]) => ({
  encoding: await encodeInSteps({ sentences: worker.sentences, vectors: vectorsOnce }, input),
});

/** The engines of a worker thread, called here. */
const engines: TextEngines = {
  techniques: (input) => worker.techniques(input),
  claims: (input) => worker.claims(input),
  aiText: (input) => worker.aiText(input),
  context: (input) => worker.context(input),
  encode,
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
const makeVerdict = createVerdictMaker(engines, absentTextModel, async () => 0, rulesSource);
const run: RunContext = {
  ...untimedTask('evaluation'),
  correlationId: 'evaluation',
  planType: 1,
  assignments: {},
};

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
  const { verdict } = await makeVerdict(
    { submission, plan } as Parameters<typeof makeVerdict>[0],
    prepared,
    checkpoints,
    run,
  );
  const wording = checkpoints.find((one) => one.step === 'techniques')?.outcome;
  const found = wording?.state === 'ran' ? wording.block.techniques_detected : [];
  return {
    verdict: verdict as VerdictResult,
    manipulation: verdict.score_manipulation ?? 0,
    findings: found.map(
      ({ code, confidence, spans }) =>
        `${code} ${confidence.toFixed(2)}: ${spans.map(({ quote }) => quote.slice(0, 70)).join(' / ')}`,
    ),
  };
}
