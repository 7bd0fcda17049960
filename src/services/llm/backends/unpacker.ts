import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Takes what comes out of a compressed answer. */
export interface Unpacked {
  received(bytes: Buffer): void;
  ended(): void;
  broke(reason: Error): void;
  /** The unpacker has room again after `take` said that it has none. */
  ready(): void;
}

/** Unpacks a compressed answer piece by piece. Nobody asked for compression, but some proxies do not ask either. */
export class Unpacker {
  private readonly transform: Transform;

  /** `encoding` is the value of Content-Encoding; throws when it is unknown. */
  constructor(encoding: string, to: Unpacked) {
    const create = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding] : undefined;
    if (create === undefined) throw new Error(`the content encoding ${encoding} is not known`);
    this.transform = create();
    this.transform.on('data', (bytes: Buffer) => to.received(bytes));
    this.transform.on('end', () => to.ended());
    this.transform.on('error', (error) => to.broke(error));
    this.transform.on('drain', () => to.ready());
  }

  /** Takes packed bytes; false when the sender should wait for `ready`. */
  take(packed: Buffer): boolean {
    return this.transform.write(packed);
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

  drop(): void {
    this.transform.destroy();
  }
}
