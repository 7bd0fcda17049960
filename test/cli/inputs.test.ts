import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseInputs } from '../../src/cli/inputs.ts';
import type { AnalyzeRequest } from '../../src/services/analysis/resources/analyze-request.ts';

/** The one request that an argument stands for. */
async function requestFor(argument: string): Promise<AnalyzeRequest> {
  const [input, ...others] = await parseInputs(argument);
  if (input === undefined || others.length > 0) throw new Error('not one input');
  return input.request;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'limpede-analyze-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: string | Uint8Array) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('what is to be analysed', () => {
  it.each([
    ['https://example.org/a?b=c', 'https://example.org/a?b=c'],
    ['HTTP://EXAMPLE.ORG', 'HTTP://EXAMPLE.ORG'],
  ])('%s is an address', async (input, url) => {
    expect(await requestFor(input)).toEqual({ media_type: 'url', url });
  });

  it.each([
    ['a sentence', 'Guvernul a adoptat marți hotărârea.'],
    ['a sentence with an address in it', 'See https://example.org for more.'],
    ['a text longer than a path may be', 'Un text obișnuit. '.repeat(20)],
    ['a long text', 'word '.repeat(10_000)],
    ['a text of many slashes', 'a/'.repeat(300)],
    ['a text with a NUL', 'a\0b'],
    ['nothing', ''],
    ['a word with a stop', 'Nu...'],
  ])('%s is a text', async (_name, text) => {
    expect(await requestFor(text)).toEqual({ media_type: 'text', text });
  });

  it.each([
    '/nowhere/at/all.txt',
    './article-that-was-moved',
    'article-that-was-moved.txt',
    'www.example.org',
    tmpdir(),
  ])('%s is no file, and no text either', (input) =>
    expect(requestFor(input)).rejects.toThrow(`${input}: there is no such file`),
  );

  it('a text file is its text', async () => {
    const text = 'Țara noastră: 😀 și atât.\n';
    expect(await requestFor(file('a.txt', text))).toEqual({ media_type: 'text', text });
    expect(await requestFor(file('bom.txt', `\ufeff${text}`))).toEqual({ media_type: 'text', text });
  });

  it.each([
    ['bytes that are ASCII and NUL', new Uint8Array([0x61, 0, 0x62])],
    ['Latin-1', new Uint8Array([0x61, 0xe9, 0x62])],
  ])('%s is refused by its name', async (_name, bytes) => {
    const path = file('binary.dat', bytes);
    await expect(requestFor(path)).rejects.toThrow(`${path}: only pictures, sounds, videos and text files`);
  });

  it.each([
    ['image', 'photo.jpg', 'ffd8ffe000104a46494600010100'],
    ['audio', 'voice.wav', '52494646240000005741564566'],
    ['video', 'clip.mp4', '00000018667479706d703432000000006d703432'],
  ])('%s is sent first, and known by its hash until then', async (kind, name, bytes) => {
    const path = file(name, Buffer.from(bytes, 'hex'));
    expect(await parseInputs(path)).toEqual([
      {
        name,
        request: { media_type: kind, media_url: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
        medium: path,
      },
    ]);
  });

  it('a file of addresses stands for each of them; empty lines and remarks are left out', async () => {
    const list = file('urls.txt', '# to check\nhttps://example.org/a\r\n\n  http://example.org/b?c=d \n');
    expect(await parseInputs(list)).toEqual([
      { name: 'https://example.org/a', request: { media_type: 'url', url: 'https://example.org/a' } },
      { name: 'http://example.org/b?c=d', request: { media_type: 'url', url: 'http://example.org/b?c=d' } },
    ]);
    const text = file('mixed.txt', 'https://example.org/a\nand some words');
    expect(await parseInputs(text)).toEqual([
      { name: 'mixed.txt', request: { media_type: 'text', text: 'https://example.org/a\nand some words' } },
    ]);
  });

  it('a text is known by its beginning', async () => {
    expect((await parseInputs('Two\n words'))[0]?.name).toBe('Two words');
    expect((await parseInputs('😀 word '.repeat(40)))[0]?.name).toMatch(/^.{60}…$/u);
  });
});
