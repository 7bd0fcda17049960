import { readFileSync } from 'node:fs';

const NEWLINE = 0x0a;
const TAB = 0x09;

/** A sorted table of domains kept as the bytes of its file: lookups halve the file, nothing else is held in memory. */
export class SortedTable {
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  static open(path: string): SortedTable {
    return new SortedTable(readFileSync(path));
  }

  /** The cells beside a domain (ASCII, lower case); undefined when the table does not have it. */
  find(domain: string): string[] | undefined {
    const key = Buffer.from(domain, 'latin1');
    let low = 0;
    let high = this.bytes.length;
    while (low < high) {
      const start = this.lineStart((low + high) >>> 1);
      const end = this.lineEnd(start);
      const order = key.compare(this.bytes, start, this.keyEnd(start, end));
      if (order === 0) return this.bytes.toString('utf8', start, end).split('\t').slice(1);
      if (order < 0) high = start;
      else low = end + 1;
    }
    return undefined;
  }

  /** Every domain of the table, in byte order. */
  *domains(): Generator<string> {
    for (let start = 0; start < this.bytes.length; ) {
      const end = this.lineEnd(start);
      yield this.bytes.toString('latin1', start, this.keyEnd(start, end));
      start = end + 1;
    }
  }

  private lineStart(position: number): number {
    return position === 0 ? 0 : this.bytes.lastIndexOf(NEWLINE, position - 1) + 1;
  }

  private lineEnd(start: number): number {
    const end = this.bytes.indexOf(NEWLINE, start);
    return end === -1 ? this.bytes.length : end;
  }

  private keyEnd(start: number, end: number): number {
    const tab = this.bytes.indexOf(TAB, start);
    return tab === -1 || tab > end ? end : tab;
  }
}
