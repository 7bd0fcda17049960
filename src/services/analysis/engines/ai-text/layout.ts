import { isUpperCase } from '../../../../text/characters.ts';
import { fold } from '../../../../text/folding.ts';

/**
 * The text as the detector reads it. Layout says which corpus a text comes from, not who wrote it, so spacing, quotes,
 * dashes, line breaks, markup and letter case are levelled, and names and numbers are masked to keep the topic out.
 */
export function normalizeLayout(text: string): string {
  const masked = maskNames(withoutMarkup(text));
  return fold(masked, 'strip')
    .text.replace(/https?:\S+|www\.\S+|[\w.+-]{1,64}@\S+/g, ' ')
    .replace(/\d+(?:[.,:/]\d+)*/g, '0')
    .replace(/\s+/g, ' ')
    .replace(/ ([,.;:!?)\]])/g, '$1')
    .replace(/([([]) /g, '$1')
    .replace(/ ?(n't|'s|'re|'ve|'ll|'d|'m)\b/g, '$1')
    .replace(/"+/g, '')
    .replace(/-{2,}/g, ' - ')
    .trim();
}

/** Line marks and emphasis of plain-text markup. */
function withoutMarkup(text: string): string {
  return text
    .replace(/^[ \t]*(?:#{1,6} |[-*•] |\d{1,2}[.)] )/gm, '')
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, '');
}

const NAME_MASK = 'Xx';

/** Replaces capitalised words that do not begin a sentence. */
function maskNames(text: string): string {
  return text.replace(/(?<=[\p{L}\p{N},;'’)] )\p{Lu}[\p{L}\p{M}'’-]+/gu, (word) =>
    isUpperCase(word.charCodeAt(0)) ? NAME_MASK : word,
  );
}
