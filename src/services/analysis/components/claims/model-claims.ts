import { z } from 'zod';
import prompt from '../../../../../data/prompts/claims.json' with { type: 'json' };
import taxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import { stripDiacritics } from '../../../../text/folding.ts';
import { overlaps, type Span } from '../../../../text/positions.ts';
import { sentencesOf } from '../../../../text/sentences.ts';
import { countWords, wordsOf } from '../../../../text/words.ts';
import type { Task } from '../../dependencies/text-model/text-model.ts';
import { partNote, windowOf } from '../../dependencies/text-model/window.ts';
import { attributionOf, type TextWithSentences } from '../../engines/claims/attribution.ts';
import { MOST_CLAIMS } from '../../engines/claims/engine.ts';
import { explainClaim } from '../../engines/claims/explanations.ts';
import type { ClaimType } from '../../engines/claims/types.ts';
import { toPlainText } from '../../engines/plain-text.ts';
import type { ClaimItem } from '../../resources/claims-result.ts';
import type { Engine } from '../../resources/finding.ts';
import { Quotes } from '../quotes.ts';

/** Kinds of claims that evidence can decide; a model may propose no other. */
const checkable = new Map(
  taxonomy.types.filter((type) => type.checkable).map((type) => [type.code, type.definition_en]),
);

/** The form of the model's answer; which of its proposals hold is checked one by one. */
const answerForm = z.object({
  claims: z.array(
    z.object({
      quote: z.string(),
      type: z.string().meta({ enum: [...checkable.keys()] }),
      queries: z.array(z.string()),
    }),
  ),
});
type ModelAnswer = z.output<typeof answerForm>;

/** Limits of what a model may propose; each line says why. */
const limits = {
  /** As many as are ever searched, with some to choose from. */
  mostClaims: 20,
  /** Queries that one claim carries, the model's first. */
  mostQueries: 4,
  /** What search engines take without cutting, in characters. */
  queryLength: { least: 3, most: 150 },
  /** Fewer words are no statement; more are no single one. */
  words: { least: 4, most: 60 },
  /** Shorter words are common to everything. */
  telling: 4,
  /** Letters in which two forms of a word agree: Romanian inflects at the end. */
  stem: 5,
  /**
   * Check-worthiness of a claim that our own engine passed over: at the edge, so that it is searched after those that
   * both see, and weighs less.
   */
  checkworthiness: 0.5,
} as const;

/** Operators and addresses would let a text steer the search to pages of its choice. */
const steering =
  /\b(?:site|inurl|intitle|filetype|link|cache|related|source)\s*:|https?:|www\.|[<>{}|\\^`]/iu;

/** A sentence that a model takes for a claim, found in the text. */
export interface ModelClaim {
  readonly span: Span;
  readonly type: ClaimType;
  readonly queries: readonly string[];
}

/** What a model is asked about a text. */
export function claimsTask(text: string): Task<ModelAnswer> {
  const types = [...checkable].map(([code, definition]) => `- ${code}: ${definition}`).join('\n');
  return {
    stage: 'claims.extraction',
    prompt,
    fields: { types, most: String(limits.mostClaims) },
    material: (most) => {
      const window = windowOf(toPlainText(text).text, most);
      return { text: window.text, note: partNote(window) };
    },
    schema: answerForm,
  };
}

/** The beginnings of the words that tell what a text is about, and its numbers. */
function tellingStems(text: string): string[] {
  return wordsOf(text)
    .map((word) => stripDiacritics(word.text).toLowerCase())
    .filter((word) => word.length >= limits.telling || /\d/.test(word))
    .map((word) => word.slice(0, limits.stem));
}

/** The queries that look for the claim and steer nowhere. */
function usableQueries(queries: readonly string[], claim: string): string[] {
  const known = new Set(tellingStems(claim));
  const cleaned = queries.map((query) => query.replace(/[\p{C}\s]+/gu, ' ').trim());
  const usable = cleaned.filter((query) => {
    const { least, most } = limits.queryLength;
    if (query.length < least || query.length > most || steering.test(query)) return false;
    return tellingStems(query).some((stem) => known.has(stem));
  });
  return [...new Set(usable)].slice(0, limits.mostQueries);
}

/** The proposals of an answer that hold. Undefined when the model made some and none holds. */
export function acceptedClaims({ claims }: ModelAnswer, text: string): ModelClaim[] | undefined {
  if (claims.length === 0) return [];
  const quotes = new Quotes(text);
  const accepted = claims.slice(0, limits.mostClaims).flatMap(({ quote, type, queries }): ModelClaim[] => {
    if (!checkable.has(type)) return [];
    const span = quotes.find(quote);
    const words = span === undefined ? 0 : countWords(span.quote);
    if (span === undefined || words < limits.words.least || words > limits.words.most) return [];
    return [{ span, type: type as ClaimType, queries: usableQueries(queries, span.quote) }];
  });
  return accepted.length === 0 ? undefined : accepted;
}

/**
 * Our claims with those of a model, in reading order. A claim that both see keeps our type and status and gets the
 * model's queries before ours; one that only the model sees is added as unverified. A model decides nothing.
 */
export function mergedClaims(
  own: readonly ClaimItem[],
  modelClaims: readonly ModelClaim[],
  engine: Engine,
  text: string,
): ClaimItem[] {
  const around = { text, sentences: sentencesOf(text) };
  const shared = own.map((claim) => {
    const same = modelClaims
      .filter(({ span }) => overlaps(claim.span, span))
      .flatMap(({ queries }) => queries);
    if (same.length === 0 || claim.status !== 'unverified') return claim;
    return { ...claim, queries: [...new Set([...same, ...claim.queries])].slice(0, limits.mostQueries) };
  });
  const added: ClaimItem[] = [];
  for (const proposal of modelClaims) {
    if ([...own, ...added].some(({ span }) => overlaps(span, proposal.span))) continue;
    if (own.length + added.length < MOST_CLAIMS) added.push(claimOf(proposal, engine, around));
  }
  const ordered = [...shared, ...added].sort((one, two) => one.span.start - two.span.start);
  return ordered.map((claim, index) => ({ ...claim, id: `claim-${index + 1}` }));
}

function claimOf({ span, type, queries }: ModelClaim, engine: Engine, around: TextWithSentences): ClaimItem {
  const place = { start: span.start_utf16, end: span.end_utf16 };
  return {
    id: '',
    text: span.quote,
    span,
    type,
    status: 'unverified',
    confidence: null,
    checkworthiness: limits.checkworthiness,
    evidence: [],
    previous_fact_checks: [],
    searched: false,
    reviewed_at: null,
    voice: attributionOf(around, place),
    queries: [...queries],
    ...explainClaim(type, 'unverified', limits.checkworthiness),
    engine,
  };
}
