import type { Readable } from 'node:stream';
import type { Probeable } from '../health.ts';
import type { ByteRange } from '../payloads.ts';

/** The name of an object: segments of letters, digits, `.`, `_` and `-`, none of which begins with a dot. */
export interface ObjectName {
  readonly bucket: string;
  /** May have several segments, separated by `/`. */
  readonly key: string;
}

/** An object that is not there. */
export class ObjectMissingError extends Error {
  constructor({ bucket, key }: ObjectName) {
    super(`there is no object ${bucket}/${key}`);
    this.name = 'ObjectMissingError';
  }
}

/** Keeps bytes under names. Its probe rejects when nothing can be stored. */
export interface ObjectStore extends Probeable {
  /** Stores a stream; when it fails, nothing of the object remains. */
  put(name: ObjectName, content: Readable): Promise<void>;
  /** Opens an object or a range of it; rejects with ObjectMissingError. */
  open(name: ObjectName, range?: ByteRange): Promise<Readable>;
  /** Provides an object as a local file while `use` runs; rejects with ObjectMissingError. */
  withFile<Result>(name: ObjectName, use: (path: string) => Promise<Result>): Promise<Result>;
  /** Removes an object, one that is still arriving, too; one that is not there is removed already. */
  remove(name: ObjectName): Promise<void>;
  close(): Promise<void>;
}

const SEGMENT = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** Whether a name is a valid object name; others are refused before any look-up. */
export function isObjectName({ bucket, key }: ObjectName): boolean {
  return [bucket, ...key.split('/')].every((segment) => SEGMENT.test(segment));
}
