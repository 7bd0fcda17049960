import { readdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GgufError, type GgufHeader, readGgufHeader } from './gguf-header.ts';

/** A model in the folder. */
export interface LocalModelFile {
  /** The name of the file without its suffix. */
  readonly id: string;
  readonly path: string;
  /** When the file was last written, in Unix seconds. */
  readonly created: number;
  readonly contextLength: number | null;
}

interface CachedHeader {
  readonly stamp: string;
  /** Undefined for a file that is no model. */
  readonly header: GgufHeader | undefined;
}

const SUFFIX = '.gguf';
/** A model in several files is loaded by its first; the others are no models of their own. */
const LATER_PART = /-(?!0*1-of-)\d{5}-of-\d{5}\.gguf$/;

function isModelName(name: string): boolean {
  return name.endsWith(SUFFIX) && !name.startsWith('.') && !LATER_PART.test(name);
}

/** The folder of GGUF files. Heads are read once for each state of a file. */
export class ModelFolder {
  readonly path: string;
  private headers = new Map<string, CachedHeader>();

  constructor(path: string) {
    this.path = path;
  }

  /** Whether there is anything that looks like a model. */
  hasModels(): boolean {
    try {
      return readdirSync(this.path).some(isModelName);
    } catch {
      return false;
    }
  }

  /** The models by name. Files that are no GGUF files, or unfinished downloads of them, are left out. */
  async list(): Promise<LocalModelFile[]> {
    const names = (await readdir(this.path).catch(() => [])).filter(isModelName).sort();
    const models = await Promise.all(names.map((name) => this.read(name)));
    const present = new Set(names);
    this.headers = new Map([...this.headers].filter(([name]) => present.has(name)));
    return models.flatMap((model) => model ?? []);
  }

  async find(id: string): Promise<LocalModelFile | undefined> {
    return (await this.list()).find((model) => model.id === id);
  }

  private async read(name: string): Promise<LocalModelFile | undefined> {
    const path = join(this.path, name);
    try {
      const { mtimeMs, size } = await stat(path);
      const header = await this.header(name, path, `${mtimeMs} ${size}`);
      if (header === undefined) return undefined;
      const id = name.slice(0, -SUFFIX.length);
      return { id, path, created: Math.floor(mtimeMs / 1000), contextLength: header.contextLength };
    } catch {
      return undefined;
    }
  }

  private async header(name: string, path: string, stamp: string): Promise<GgufHeader | undefined> {
    const known = this.headers.get(name);
    if (known?.stamp === stamp) return known.header;
    const header = await readGgufHeader(path).catch((error: unknown) => {
      if (error instanceof GgufError) return undefined;
      throw error;
    });
    this.headers.set(name, { stamp, header });
    return header;
  }
}
