/** Cuts a text that comes in pieces before the first of some words, without letting out the beginning of one. */
export class StopWords {
  /** Whether one of the words came. */
  hit = false;
  private readonly words: readonly string[];
  private held = '';

  constructor(words: readonly string[]) {
    this.words = words.filter((word) => word !== '');
  }

  /** The text that can be let out now that this piece came. */
  take(piece: string): string {
    if (this.hit) return '';
    const text = this.held + piece;
    const places = this.words.map((word) => text.indexOf(word)).filter((place) => place >= 0);
    if (places.length > 0) {
      this.hit = true;
      this.held = '';
      return text.slice(0, Math.min(...places));
    }
    const kept = Math.max(0, ...this.words.map((word) => beginningAtEnd(text, word)));
    this.held = text.slice(text.length - kept);
    return text.slice(0, text.length - kept);
  }

  /** What was held back, once nothing more comes. */
  rest(): string {
    const { held } = this;
    this.held = '';
    return held;
  }
}

/** How many characters at the end of a text are the beginning of a word. */
function beginningAtEnd(text: string, word: string): number {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length--)
    if (text.endsWith(word.slice(0, length))) return length;
  return 0;
}
