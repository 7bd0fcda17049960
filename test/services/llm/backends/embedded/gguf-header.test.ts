import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { GgufError, readGgufHeader } from '../../../../../src/services/llm/backends/embedded/gguf-header.ts';
import { tinyModel } from './tiny-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'limpede-gguf-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(bytes: Buffer) {
  const path = join(folder, 'one.gguf');
  writeFileSync(path, bytes);
  return readGgufHeader(path);
}

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number | bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const file = (version: number, ...keys: Buffer[]) =>
  Buffer.concat([Buffer.from('GGUF'), u32(version), u64(0), u64(keys.length), ...keys]);
const key = (name: string, type: number, ...value: Buffer[]) =>
  Buffer.concat([text(name), u32(type), ...value]);
const architecture = key('general.architecture', 8, text('qwen3'));

describe('the head of a GGUF file', () => {
  it('tells the architecture and the context', async () => {
    const bytes = tinyModel({ words: ['one'], contextLength: 4096 });
    expect(await read(bytes)).toEqual({ architecture: 'llama', contextLength: 4096 });
  });

  it.each<[string, Buffer[], number | null]>([
    ['in 32 bits', [key('qwen3.context_length', 4, u32(40_960))], 40_960],
    ['in 64 bits', [key('qwen3.context_length', 10, u64(40_960))], 40_960],
    ['of another family', [key('llama.context_length', 4, u32(40_960))], null],
    ['of no number', [key('qwen3.context_length', 8, text('long'))], null],
    ['of zero', [key('qwen3.context_length', 4, u32(0))], null],
    ['that is not told', [], null],
    [
      'behind values of every kind',
      [
        key('a', 0, Buffer.alloc(1)),
        key('b', 3, Buffer.alloc(2)),
        key('c', 7, Buffer.alloc(1)),
        key('d', 12, Buffer.alloc(8)),
        key('e', 8, text('x'.repeat(100_000))),
        key('f', 9, u32(8), u64(2), text('one'), text('two')),
        key('g', 9, u32(6), u64(3), Buffer.alloc(12)),
        key('h', 9, u32(9), u64(1), u32(4), u64(2), Buffer.alloc(8)),
        key('qwen3.context_length', 4, u32(7)),
      ],
      7,
    ],
  ])('reads a context %s', async (_name, keys, contextLength) => {
    expect(await read(file(3, ...keys, architecture))).toEqual({ architecture: 'qwen3', contextLength });
    expect(await read(file(2, architecture, ...keys))).toEqual({ architecture: 'qwen3', contextLength });
  });

  it.each<[string, Buffer, string]>([
    ['another file', Buffer.from('PK\u0003\u0004 and more'), 'no GGUF file'],
    ['an empty file', Buffer.alloc(0), 'cut off'],
    ['another version', file(1, architecture), 'version 1'],
    ['no architecture', file(3), 'names no architecture'],
    ['an unknown type', file(3, key('a', 77, u32(1))), 'unknown type 77'],
    ['a count beyond the file', file(3, key('a', 9, u32(4), u64(2n ** 60n))), 'exceeds the file'],
    ['a text beyond the file', file(3, Buffer.concat([u64(2n ** 40n)])), 'exceeds the file'],
    [
      'arrays without end',
      file(3, key('a', 9, ...Array.from({ length: 20 }, () => [u32(9), u64(1)]).flat())),
      'unknown type 9',
    ],
  ])('refuses %s', async (_name, bytes, message) => {
    await expect(read(bytes)).rejects.toThrow(message);
    await expect(read(bytes)).rejects.toBeInstanceOf(GgufError);
  });

  it('is read or refused, whatever was damaged', async () => {
    const whole = tinyModel({ words: ['one'] }).subarray(0, 9000);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 8 }),
        async (length, damages) => {
          const bytes = Buffer.from(whole.subarray(0, length));
          for (const [place, value] of damages) if (place < bytes.length) bytes[place] = value;
          const outcome: unknown = await read(bytes).catch((error: unknown) => error);
          if (outcome instanceof Error) expect(outcome).toBeInstanceOf(GgufError);
        },
      ),
    );
  });
});
