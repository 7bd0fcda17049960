import type { LocalizedText } from '../../../../foundation/localized-text.ts';
import { limits } from './limits.ts';
import templates from './rules/explanations.json' with { type: 'json' };

/** Explanations of a finding in both languages. */
export interface ExplanationPair {
  readonly explanation_en: string;
  readonly explanation_ro: string;
}

const byCode: ReadonlyMap<string, LocalizedText> = new Map(Object.entries(templates));

/** Says why the quoted passages show the technique; `quotes` come surest first. */
export function explainTechnique(code: string, quotes: readonly string[]): ExplanationPair {
  const template = byCode.get(code);
  if (template === undefined) throw new Error(`No explanation for technique ${code}.`);
  const distinct = [...new Set(quotes.map(shortenQuote))].slice(0, limits.quotedInExplanation);
  const english = distinct.map((quote) => `“${quote}”`).join(', ');
  const romanian = distinct.map((quote) => `„${quote}”`).join(', ');
  return {
    explanation_en: template.en.replace('{quotes}', () => english),
    explanation_ro: template.ro.replace('{quotes}', () => romanian),
  };
}

function shortenQuote(quote: string): string {
  const flat = quote.replace(/\s+/gu, ' ').trim();
  const points = Array.from(flat);
  if (points.length <= limits.longestQuote) return flat;
  const cut = points.slice(0, limits.longestQuote).join('');
  const space = cut.lastIndexOf(' ');
  return `${space > 0 ? cut.slice(0, space) : cut}…`;
}
