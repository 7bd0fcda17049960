import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const DECOMPRESSORS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Gets the decompressed bytes of an answer. */
export interface DecompressorListener {
  received(bytes: Buffer): void;
  ended(): void;
  failed(reason: Error): void;
  /** The decompressor takes more bytes again after `write` returned false. */
  drained(): void;
}

/** Decompresses an answer piece by piece. Requests do not ask for compression; some proxies compress all the same. */
export class Decompressor {
  private readonly transform: Transform;

  /** `encoding` is the value of Content-Encoding; throws when it is unknown. */
  constructor(encoding: string, listener: DecompressorListener) {
    const create = Object.hasOwn(DECOMPRESSORS, encoding) ? DECOMPRESSORS[encoding] : undefined;
    if (create === undefined) throw new Error(`the content encoding ${encoding} is not known`);
    this.transform = create();
    this.transform.on('data', (bytes: Buffer) => listener.received(bytes));
    this.transform.on('end', () => listener.ended());
    this.transform.on('error', (error) => listener.failed(error));
    this.transform.on('drain', () => listener.drained());
  }

  /** Takes compressed bytes; false when the sender should wait for `drained`. */
  write(compressed: Buffer): boolean {
    return this.transform.write(compressed);
  }

  end(): void {
    this.transform.end();
  }

  pause(): void {
    this.transform.pause();
  }

  resume(): void {
    this.transform.resume();
  }

  destroy(): void {
    this.transform.destroy();
  }
}
