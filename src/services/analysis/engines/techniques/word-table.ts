/** What is known of a word before any technique data is seen: its cluster and its scores in the learned lexicons. */
export class WordTable {
  readonly hashes: Uint32Array;
  readonly clusters: Uint16Array;
  /** Steps 1 (lowest) to 7 (highest), row by row. */
  readonly steps: Uint8Array;
  readonly lexicons: number;
  private readonly rows: Map<number, number>;

  constructor(hashes: Uint32Array, clusters: Uint16Array, steps: Uint8Array) {
    this.hashes = hashes;
    this.clusters = clusters;
    this.steps = steps;
    this.lexicons = hashes.length === 0 ? 0 : steps.length / hashes.length;
    this.rows = new Map(Array.from(hashes, (hash, row) => [hash, row]));
  }

  /** Row of a word, -1 when it is not in the table. */
  rowOf(hash: number): number {
    return this.rows.get(hash) ?? -1;
  }

  /** Cluster of a row; unknown words share a few clusters by the hash, so that they stay apart from known ones. */
  clusterOf(row: number, hash: number): number {
    return row < 0 ? 0xffff - (hash & 3) : (this.clusters[row] ?? 0);
  }

  /** Step 1 to 7 of a row in a lexicon; 0 when the word is unknown. */
  stepOf(row: number, lexicon: number): number {
    return row < 0 ? 0 : (this.steps[row * this.lexicons + lexicon] ?? 0);
  }
}
