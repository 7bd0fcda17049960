import prompt from '../../../../../data/prompts/techniques.json' with { type: 'json' };
import { countWords } from '../../../../text/words.ts';
import type { TaskReply } from '../../dependencies/text-model/text-model.ts';
import { encodingLoss } from '../../engines/encoding/encodings.ts';
import { toPlainText } from '../../engines/plain-text.ts';
import type { TechniquesAnalysis } from '../../engines/techniques/engine.ts';
import { summariseTechniques } from '../../engines/techniques/summary.ts';
import { findingWeight } from '../../resources/technique-weight.ts';
import type { TechniqueItem, TechniquesResult } from '../../resources/techniques-result.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { ComponentDefinition } from '../component.ts';
import { judgeReply, modelOutcome } from '../model-outcome.ts';
import { materialText, TEXT_COMPONENT_NEEDS } from '../text-component.ts';
import { mergedFindings } from './merging.ts';
import { acceptedFindings, type ModelFinding, techniquesTask } from './model-findings.ts';
import { shortList } from './short-list.ts';

/**
 * How often the score of an article that persuades lies above that of one that does not (models/techniques.md, web
 * articles of hyperpartisan by-article): what silence is worth when nothing was found.
 */
const RANKED_RIGHT = 0.737;

/** Margin of a probability over its opposite, 0 (a coin) to 1 (certain). */
const marginOf = (probability: number) => Math.abs(2 * probability - 1);

/** Mean margin of what the findings count, 0 to 1; that of the whole score where nothing counts. */
export function techniquesQuality(result: Pick<TechniquesResult, 'techniques_detected'>): number {
  const weights = result.techniques_detected.map(findingWeight).filter((weight) => weight > 0);
  if (weights.length === 0) return marginOf(RANKED_RIGHT);
  return weights.reduce((sum, weight) => sum + marginOf(weight), 0) / weights.length;
}

/** The languages whose wording our own engine was made for; a text too short to tell is read as one of them. */
const READ_LANGUAGES: ReadonlySet<string> = new Set(['en', 'ro', 'und']);

/**
 * Whether the wording was judged: in a language that our engine does not read, what it finds counts, but that it finds nothing says
 * nothing.
 */
function wasRead(
  language: string,
  reply: TaskReply<ModelFinding[]>,
  { techniques_detected }: Pick<TechniquesResult, 'techniques_detected'>,
): boolean {
  return READ_LANGUAGES.has(language) || reply.state === 'answered' || techniques_detected.length > 0;
}

/** The figures and findings of the block, ours alone or with those of a model: those of enough weight. */
function findingsOf(own: TechniquesAnalysis, reply: TaskReply<ModelFinding[]>, text: string, least: number) {
  const items = mergedWith(own, reply);
  const listed = [...shortList(items, least)];
  if (least <= 0 && items === own.techniques_detected) return { ...own, techniques_detected: listed };
  const { diffuse_evidence } = own;
  const counted = summariseTechniques(listed, countWords(toPlainText(text).text), diffuse_evidence?.weight);
  return { ...counted, techniques_detected: listed, diffuse_evidence };
}

/** Our findings, or those of both. */
function mergedWith(own: TechniquesAnalysis, reply: TaskReply<ModelFinding[]>): TechniqueItem[] {
  // Which codes and dimensions there are is checked where the block's schema is made.
  const items = own.techniques_detected as TechniqueItem[];
  if (reply.state !== 'answered' || reply.value.length === 0) return items;
  const engine = { model: reply.model, version: `prompt ${prompt.version}`, duration_ms: reply.durationMs };
  return mergedFindings(items, reply.value, engine);
}

/** The component that finds manipulation techniques: our engine screens, a text model reads deeper when there is one. */
export const techniques: ComponentDefinition<'techniques'> = {
  name: 'techniques',
  ...TEXT_COMPONENT_NEEDS,
  timeoutMs: SHIPPED_TUNING.timeoutMs.techniques,
  checks: ['framework', 'llm'],
  scoreOf: (block) => block.manipulation_score,
  isUndecided: (block) => block.manipulation_score === null,
  create:
    ({ engines, model }) =>
    async (material, run) => {
      const started = performance.now();
      const elapsed = () => Math.round(performance.now() - started);
      const text = materialText(material);
      const pendingReply = model.ask(techniquesTask(text.text), run);
      const encoded = await engines.encode(text, run);
      const encoding = 'encoding' in encoded ? encoded.encoding : undefined;
      const own = await engines.techniques({ ...text, encoding }, run);
      const screened = elapsed();
      const reply = judgeReply(await pendingReply, (answer) =>
        acceptedFindings(answer, text.text, engines.identify),
      );
      const deep = reply.state === 'answered' ? reply : null;
      const { leastConfidence } = run.tuning ?? SHIPPED_TUNING;
      const result = findingsOf(own, reply, text.text, leastConfidence);
      const read = wasRead(text.language, reply, result);
      const block: TechniquesResult = {
        ...result,
        ...(!read && { manipulation_score: null, total_severity: null }),
        coupling_context: null,
        llm_screening: null,
        llm_deep: deep?.model ?? null,
        screening_duration_ms: screened,
        deep_analysis_duration_ms: deep?.durationMs ?? null,
        total_duration_ms: elapsed(),
        fallbacks_screening: 0,
        fallbacks_deep: deep?.fallbacks ?? 0,
      };
      const share = modelOutcome(reply);
      const lost = encodingLoss(encoded);
      return {
        block,
        quality: techniquesQuality(result),
        out_of_scope: !read,
        ...share,
        ...(lost.length > 0 && { reliability: 'fallback' as const }),
        degraded: [...share.degraded, ...lost],
      };
    },
};
