/** Cuts a text that comes in pieces before the first stop sequence, without passing on the beginning of one. */
export class StopSequences {
  /** Whether a stop sequence came. */
  hit = false;
  private readonly sequences: readonly string[];
  private held = '';

  constructor(sequences: readonly string[]) {
    this.sequences = sequences.filter((sequence) => sequence !== '');
  }

  /** The text that can be passed on now that this piece came. */
  push(piece: string): string {
    if (this.hit) return '';
    const text = this.held + piece;
    const places = this.sequences.map((sequence) => text.indexOf(sequence)).filter((place) => place >= 0);
    if (places.length > 0) {
      this.hit = true;
      this.held = '';
      return text.slice(0, Math.min(...places));
    }
    const kept = Math.max(0, ...this.sequences.map((sequence) => beginningAtEnd(text, sequence)));
    this.held = text.slice(text.length - kept);
    return text.slice(0, text.length - kept);
  }

  /** What was held back, once nothing more comes. */
  flush(): string {
    const { held } = this;
    this.held = '';
    return held;
  }
}

/** How many characters at the end of a text are the beginning of a stop sequence. */
function beginningAtEnd(text: string, sequence: string): number {
  for (let length = Math.min(sequence.length - 1, text.length); length > 0; length--)
    if (text.endsWith(sequence.slice(0, length))) return length;
  return 0;
}
