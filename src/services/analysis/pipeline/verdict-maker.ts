import prompt from '../../../../data/prompts/explanation.json' with { type: 'json' };
import { textForm } from '../../../text/text-form.ts';
import type { RunContext } from '../components/component.ts';
import { judgeReply, modelDegradations } from '../components/model-outcome.ts';
import type { TaskReply, TextModel } from '../dependencies/text-model/text-model.ts';
import { viralityOf } from '../engines/context/virality.ts';
import { encodingLoss } from '../engines/encoding/encodings.ts';
import type { ContextTask, TextEngines } from '../engines/text-engines.ts';
import type { Degradation, Reason } from '../reasons.ts';
import { byComponent, COMPONENTS } from '../resources/component-name.ts';
import { profileOf, type VerdictRulesSource } from '../resources/verdict-rules.ts';
import { type Checkpoints, type MaterialCheckpoint, outcomeOf } from '../session/checkpoint.ts';
import type { Outcomes, VerdictFacts } from '../session/outcome.ts';
import type { Plan } from '../session/plan.ts';
import type { Submission } from '../session/submission.ts';
import { addTimes } from '../session/timed-text.ts';
import { type Explanation, explainVerdict } from './explain/explain.ts';
import { timeToExplain } from './explain/explanation-time.ts';
import type { ExplanationSubject } from './explain/facts.ts';
import { acceptedExplanation, explanationTask } from './explain/model-explanation.ts';
import { codePointLength } from './intake.ts';
import { moderationRequestOf } from './moderation-request.ts';
import type { MakeVerdict } from './run.ts';
import { viralityLevelOf } from './verdict/bands.ts';
import { type ContextFinding, computeVerdict } from './verdict/judge.ts';
import { knownFalseMatch } from './verdict/known-false.ts';

/** Counts how often others submitted the same content lately. */
export type CountSightings = (submission: Submission) => Promise<number>;

/** The context result without a text. */
const NO_CONTEXT: ContextFinding = { score: null, quality: 0, genre: null, article: null, summary: {} };

type ContextFindings = Awaited<ReturnType<TextEngines['context']>>;

const NOTHING_READ: { read: ContextFindings | null; lost: readonly Degradation[] } = { read: null, lost: [] };

/** Runs the context rules; after a lost thread once more, then the verdict is made without them. */
async function readContext(
  engines: Pick<TextEngines, 'context' | 'encode'>,
  contextTask: ContextTask,
  run: RunContext,
): Promise<typeof NOTHING_READ> {
  const encoded = await engines.encode(contextTask, run);
  const task = { ...contextTask, encoding: 'encoding' in encoded ? encoded.encoding : undefined };
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      return { read: await engines.context(task, run), lost: encodingLoss(encoded) };
    } catch {
      run.signal.throwIfAborted();
    }
  }
  return { read: null, lost: [{ dependency: 'context', reason: 'unavailable', effect: 'part_missing' }] };
}

/** The outcome of each component: from its checkpoint, else skipped as the plan says. */
export function outcomesOf(plan: Plan, checkpoints: Checkpoints): Outcomes {
  return byComponent<Outcomes>((name) => {
    const planned = plan.skipped.find(({ component }) => component === name)?.reason;
    const reason: Reason = planned ?? { code: 'left_out_by_request', values: {} };
    return outcomeOf(checkpoints, name) ?? { state: 'skipped', reason };
  });
}

function factsOf({ material, degraded }: MaterialCheckpoint): VerdictFacts {
  const { text } = material.parts;
  return {
    text_length: text === undefined ? null : codePointLength(text.text),
    language: text === undefined || text.language === 'und' ? null : text.language,
    ...(text !== undefined && { text_form: textForm(text.text) }),
    // A dependency that is off by setting and replaced by our own engine lowers nothing.
    material_losses: degraded.filter(({ effect }) => effect !== 'own_engine').length,
  };
}

/** The name of our own engine of explanations. */
const OWN_EXPLAINER = { model: 'limpede-explain-1', prompt: null };

/** The texts of a verdict: the model's when there is no objection to either language, else ours. */
function explained(subject: ExplanationSubject, reply: TaskReply<Explanation>) {
  if (reply.state !== 'answered') return { texts: explainVerdict(subject), explained_by: OWN_EXPLAINER };
  const { value: texts, model } = reply;
  return { texts, explained_by: { model, prompt: `${prompt.key} ${prompt.version}` } };
}

/** A model that a component already reported lost is not reported again by the explanation. */
function alreadyReported(line: Degradation, checkpoints: Checkpoints): boolean {
  const reported = checkpoints.flatMap(({ degraded }) => degraded);
  const same = ({ dependency, effect }: Degradation) =>
    dependency === line.dependency && effect === line.effect;
  return line.reason === 'unavailable' && reported.some(same);
}

/**
 * Makes the step that judges: context and virality by rules, the verdict by its arithmetic. A text model may write the
 * explanation, from the findings alone; it has no part in any number.
 */
export function createVerdictMaker(
  engines: Pick<TextEngines, 'context' | 'encode' | 'identify'>,
  model: Pick<TextModel, 'ask'>,
  countSightings: CountSightings,
  rulesSource: VerdictRulesSource,
): MakeVerdict {
  const explainBy = async (subject: ExplanationSubject, text: string, timeoutMs: number, run: RunContext) =>
    judgeReply(await model.ask(explanationTask(subject, timeoutMs), run), (answer) =>
      acceptedExplanation(answer, subject, text, engines.identify),
    );

  return async ({ submission, plan }, prepared, checkpoints, run, decision = {}) => {
    const started = performance.now();
    const { mediaType, title, parts } = prepared.material;
    const rules = (await rulesSource.ofVersion(plan.rulesVersion)) ?? (await rulesSource.current());
    const outcomes = outcomesOf(plan, checkpoints);
    const source = outcomes.domain;
    const task = parts.text && {
      ...parts.text,
      title,
      flags: parts.page?.flags ?? [],
      satirical_source: source.state === 'ran' && source.block.verdict === 'satire',
      mediaType,
      priorSightings: await countSightings(submission),
      rules: { sensitive_topics: rules.sensitive_topics, virality_factors: rules.virality_factors },
    };
    const { read, lost } = task === undefined ? NOTHING_READ : await readContext(engines, task, run);
    const context = read?.context ?? NO_CONTEXT;
    const virality = read?.virality ?? viralityOf({ text: null, mediaType, factors: rules.virality_factors });
    const known = knownFalseMatch(outcomes.claims, parts.text?.text);
    const facts = { ...factsOf(prepared), ...(known && { known_false_match: known }), ...decision };
    const {
      contradictory: _,
      agreement: __,
      ...judgement
    } = computeVerdict(outcomes, context, { rules, profile: profileOf(rules, plan.mediaType) }, facts);
    const subject = { rules, judgement, outcomes };
    const sources = [title, parts.text?.text].filter((text) => typeof text === 'string').join('\n');
    const reply = await explainBy(subject, sources, timeToExplain(plan, outcomes), run);
    const { texts, explained_by } = explained(subject, reply);
    const verdict = {
      ...judgement,
      context_summary: { ...judgement.context_summary, explained_by },
      ...virality,
      virality_level:
        virality.virality_score === null ? null : viralityLevelOf(rules, virality.virality_score),
      ...texts,
      duration_ms: Math.round(performance.now() - started),
    };
    const degraded = [...lost, ...modelDegradations(reply)].filter(
      (line) => !alreadyReported(line, checkpoints),
    );
    const scope = {
      userFlagged: submission.userFlagged,
      whole: COMPONENTS.every((name) => submission.components.includes(name)),
    };
    const enqueue = moderationRequestOf(rules, verdict, scope);
    const timed = addTimes(verdict, parts.recording?.passages ?? []);
    return { step: 'verdict', verdict: timed, topic: read?.context.topic.code ?? null, enqueue, degraded };
  };
}
