import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { MediaFile } from '../incoming/media-file.ts';
import type { Provenance } from '../resources/provenance.ts';
import { type Reason, reasonOf } from '../resources/reasons.ts';
import { manifestStore, provenanceOf } from './manifest-store.ts';
import { withMostPages } from './wasm-memory.ts';

/** Pages of 64 KiB that the reader may take: a gigabyte. */
const MOST_PAGES = 16_384;
/** Bytes of the largest file whose history is read: it is held in memory twice. */
const LARGEST_FILE = 128 * 1024 * 1024;
/** Kinds that carry no signed history, or none that the reader knows. */
const UNSUPPORTED_TYPES = new Set([
  'audio/aac',
  'audio/amr',
  'audio/aiff',
  'video/webm',
  'video/mpeg',
  'video/mp1s',
  'video/mp2p',
  'video/mp2t',
  'video/matroska',
  'video/x-matroska',
]);
/** Names of types that the reader knows otherwise. */
const READER_TYPES: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'video/x-m4v': 'video/mp4',
  'video/vnd.avi': 'video/avi',
};

const EMPTY_PROVENANCE = {
  reason: null,
  trusted: null,
  content: null,
  ai_origin: null,
  digital_source_types: [],
  remote_url: null,
  active: null,
  manifests: [],
  failures: [],
} satisfies Omit<Provenance, 'state'>;

/** The result for a history that could not be read. */
export const unknownProvenance = (reason: Reason): Provenance => ({
  ...EMPTY_PROVENANCE,
  state: 'unknown',
  reason: reasonOf(reason),
});

/** The provenance of a file; after a `poisoned` one the thread must not be used again. */
export interface ProvenanceResult {
  readonly provenance: Provenance;
  readonly poisoned: boolean;
}

type C2pa = typeof import('@contentauth/c2pa-wasm');
let loaded: Promise<C2pa> | undefined;

async function load(): Promise<C2pa> {
  // A history may name addresses: nothing in this thread can ask them.
  globalThis.fetch = () => Promise.reject(new Error('nothing is fetched here'));
  const module = await import('@contentauth/c2pa-wasm');
  const path = createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm');
  module.initSync({ module: withMostPages(readFileSync(path), MOST_PAGES) });
  return module;
}

const settingsOf = (trustAnchors: string | undefined) =>
  JSON.stringify({
    verify: { remote_manifest_fetch: false, ocsp_fetch: false },
    ...(trustAnchors !== undefined && { trust: { trust_anchors: trustAnchors } }),
  });

/** Errors come as texts such as `C2pa(JumbfNotFound)`. */
const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const REMOTE_MANIFEST = /RemoteManifestUrl\("([^"]{1,2000})"\)/;
const ABSENT = /JumbfNotFound|ProvenanceMissing/;
const UNKNOWN_TYPE = /UnsupportedType|UnsupportedFormat/;

function provenanceOfError(error: unknown): ProvenanceResult {
  const text = textOf(error);
  const [, address] = REMOTE_MANIFEST.exec(text) ?? [];
  // A trap leaves the memory of the reader as it was in the middle of something.
  const poisoned = error instanceof Error && error.name === 'RuntimeError';
  if (address !== undefined)
    return { provenance: { ...EMPTY_PROVENANCE, state: 'remote', remote_url: address }, poisoned };
  if (ABSENT.test(text)) return { provenance: { ...EMPTY_PROVENANCE, state: 'absent' }, poisoned };
  return {
    provenance: unknownProvenance(UNKNOWN_TYPE.test(text) ? 'not_applicable' : 'unreadable'),
    poisoned,
  };
}

/** Reads and verifies the signed history of a file in this thread; nothing is fetched. */
export async function readProvenance(
  { mimeType, sizeBytes }: Pick<MediaFile, 'mimeType' | 'sizeBytes'>,
  read: () => Uint8Array,
  trustAnchors: string | undefined,
): Promise<ProvenanceResult> {
  if (UNSUPPORTED_TYPES.has(mimeType))
    return { provenance: unknownProvenance('not_applicable'), poisoned: false };
  if (sizeBytes > LARGEST_FILE) return { provenance: unknownProvenance('too_large'), poisoned: false };
  loaded ??= load();
  const { WasmReader } = await loaded;
  try {
    const reader = await WasmReader.fromBytes(
      READER_TYPES[mimeType] ?? mimeType,
      read(),
      settingsOf(trustAnchors),
    );
    try {
      const store = manifestStore.parse(JSON.parse(reader.json()));
      return { provenance: provenanceOf(store, trustAnchors !== undefined), poisoned: false };
    } finally {
      reader.free();
    }
  } catch (error) {
    return provenanceOfError(error);
  }
}
