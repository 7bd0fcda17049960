import { setFlagsFromString } from 'node:v8';
import { assemble, defineFunction, v128 } from './assembler.ts';
import { attend } from './attention-kernels.ts';
import { productKernels } from './matrix-kernels.ts';
import { rowKernels } from './row-kernels.ts';
import { sparseAdd } from './sparse-kernel.ts';

/** A kernel: addresses and counts in, numbers in the memory changed. */
type Kernel = (...numbers: readonly number[]) => void;

const NAMES = [
  'bytes_store',
  'bytes_relu',
  'bytes_add',
  'words_store',
  'quantise_bytes',
  'quantise_words',
  'normalise_bytes',
  'add_rows',
  'embed',
  'attend',
  'sparse_add',
] as const;

/** The kernels over one memory. Rows quantised to bytes take `byteWidth` bytes a number. */
export type Kernels = Readonly<Record<(typeof NAMES)[number], Kernel>> & { readonly byteWidth: 1 | 2 };

/** Pages of 64 KiB that a memory may have. */
export const LARGEST_PAGES = 4096;

function bytesOf(relaxed: boolean): Uint8Array<ArrayBuffer> {
  const functions = [...productKernels(relaxed), ...rowKernels(relaxed), attend, sparseAdd];
  return assemble(functions, LARGEST_PAGES);
}

/** The smallest module that needs relaxed SIMD. */
function relaxedProbe(): Uint8Array<ArrayBuffer> {
  const probe = defineFunction('probe', [], (_, scope) => {
    const vector = scope.v128();
    return vector.set(v128.relaxedDotI8(vector, vector));
  });
  return assemble([probe], 1);
}

/**
 * Whether this engine has relaxed SIMD. Node 20 has it behind a flag, which is looked at when a module is compiled and may
 * be set while the process runs.
 */
export function supportsRelaxedSimd(): boolean {
  const probe = relaxedProbe();
  if (WebAssembly.validate(probe)) return true;
  if (!process.version.startsWith('v20.')) return false;
  setFlagsFromString('--experimental-wasm-relaxed-simd');
  return WebAssembly.validate(probe);
}

/** Compiles the kernels for a memory. Both kinds give the same bits; relaxed SIMD is quicker. */
export function createKernels(memory: WebAssembly.Memory, relaxed = supportsRelaxedSimd()): Kernels {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(relaxed)), {
    encoder: { memory },
  });
  const kernel = (name: string): Kernel => {
    const code = instance.exports[name];
    if (typeof code !== 'function') throw new Error(`The encoder has no kernel ${name}.`);
    return (...numbers) => void code(...numbers);
  };
  const kernels = Object.fromEntries(NAMES.map((name) => [name, kernel(name)]));
  return { ...(kernels as Record<(typeof NAMES)[number], Kernel>), byteWidth: relaxed ? 1 : 2 };
}
