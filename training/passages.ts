/** A passage of the evidence corpora as people write: they set punctuation apart from words, and name brackets. */
export function cleanedPassage(text: string): string {
  return text
    .replace(/ -LRB- /g, ' (')
    .replace(/ -RRB-/g, ')')
    .replace(/``|''/g, '"')
    .replace(/ ([.,;:!?)'])/g, '$1')
    .replace(/\( /g, '(')
    .replace(/\s+/g, ' ')
    .trim();
}
