import { UserError } from '../user-error.ts';

/** Larger objects are no entries. */
const LARGEST_OBJECT = 8 * 1024 * 1024;
/** Where the list of a feed begins; feeds are long, so that their objects are read one by one. */
const FEED_LIST = /"dataFeedElement"\s*:\s*\[/;
/** The head of a file, in which the list of a feed begins. */
const HEAD = 64 * 1024;

/** Finds the objects of a text that comes in pieces: those of a list, one a line, or a single one. */
class ObjectScanner {
  private text = '';
  private at = 0;
  private start = -1;
  private depth = 0;
  private inString = false;
  private escaped = false;

  /** The objects that are complete in the bytes read so far, as text. */
  *feed(piece: string): Generator<string> {
    this.text = this.text.slice(this.start < 0 ? this.at : this.start) + piece;
    this.at = this.start < 0 ? 0 : this.at - this.start;
    this.start = this.start < 0 ? -1 : 0;
    for (; this.at < this.text.length; this.at++) {
      const ended = this.step(this.text[this.at] ?? '');
      if (!ended) continue;
      yield this.text.slice(this.start, this.at + 1);
      this.start = -1;
    }
    if (this.start >= 0 && this.text.length - this.start > LARGEST_OBJECT)
      throw new UserError('an object of the file is larger than 8 MiB');
  }

  /** Whether the file ends within an object. */
  get open(): boolean {
    return this.start >= 0;
  }

  private step(character: string): boolean {
    if (this.inString) {
      if (this.escaped) this.escaped = false;
      else if (character === '\\') this.escaped = true;
      else if (character === '"') this.inString = false;
      return false;
    }
    if (character === '"') this.inString = this.depth > 0;
    else if (character === '{') {
      if (this.depth === 0) this.start = this.at;
      this.depth += 1;
    } else if (character === '}' && this.depth > 0) {
      this.depth -= 1;
      return this.depth === 0;
    }
    return false;
  }
}

/** The objects of a JSON file, a file with one object a line, or a feed, however long it is. */
export async function* jsonObjects(pieces: AsyncIterable<string>): AsyncGenerator<unknown> {
  const scanner = new ObjectScanner();
  let head: string | undefined = '';
  for await (const piece of pieces) {
    if (head === undefined) {
      for (const text of scanner.feed(piece)) yield JSON.parse(text);
      continue;
    }
    head += piece;
    if (head.length < HEAD) continue;
    const text: string = head;
    head = undefined;
    for (const object of scanner.feed(afterListBegins(text))) yield JSON.parse(object);
  }
  if (head !== undefined) for (const text of scanner.feed(afterListBegins(head))) yield JSON.parse(text);
  if (scanner.open) throw new UserError('the file ends within an object');
}

function afterListBegins(head: string): string {
  const match = FEED_LIST.exec(head);
  return match === null ? head : head.slice(match.index + match[0].length);
}
