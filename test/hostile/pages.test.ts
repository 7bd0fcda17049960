import { afterAll, describe, expect, it } from 'vitest';
import { createExtractor } from '../../src/services/web/extract/extractor.ts';
import { startCampaign } from '../campaign.ts';

interface HostilePage {
  readonly name: string;
  readonly make: () => string | Buffer;
  readonly contentType?: string;
}

const MIB = 1024 * 1024;
const STORY = `<article><p>${'Consiliul local a votat miercuri bugetul pentru anul viitor, după o lungă dezbatere. '.repeat(10)}</p></article>`;

const PAGES: readonly HostilePage[] = [
  { name: 'elements nested without end', make: () => '<div>'.repeat(250_000) },
  { name: 'tables in tables', make: () => '<table><tr><td>'.repeat(50_000) },
  { name: 'formatting that is never closed', make: () => '<b><i><u><s>'.repeat(30_000) },
  { name: 'one attribute of many megabytes', make: () => `<p class="${'x'.repeat(8 * MIB)}">a</p>` },
  {
    name: 'an element with a hundred thousand attributes',
    make: () => `<p ${Array.from({ length: 100_000 }, (_, index) => `a${index}=1`).join(' ')}>a</p>`,
  },
  { name: 'a comment that is never closed', make: () => `<!--${'-'.repeat(4 * MIB)}` },
  { name: 'a script that is never closed', make: () => `<script>${'<'.repeat(4 * MIB)}` },
  { name: 'entities without an end', make: () => '&'.repeat(2 * MIB) },
  { name: 'numeric entities beyond Unicode', make: () => '&#x110000;&#999999999;'.repeat(100_000) },
  {
    name: 'structured data nested without end',
    make: () => `<script type="application/ld+json">${'[{"a":'.repeat(100_000)}</script>`,
  },
  {
    name: 'a hundred thousand blocks of structured data',
    make: () => '<script type="application/ld+json">{"@type":"Article"}</script>'.repeat(100_000),
  },
  {
    name: 'text that makes greedy expressions go back',
    make: () => `<p>${`${' '.repeat(50_000)}a`.repeat(40)}`,
  },
  { name: 'one word of many megabytes', make: () => `<p>${'a'.repeat(8 * MIB)}</p>` },
  { name: 'combining marks on one letter', make: () => `<p>a${'\u0301'.repeat(MIB)}</p>` },
  { name: 'characters that turn the direction', make: () => `<p>${'\u202e\u2066'.repeat(MIB)}</p>` },
  { name: 'NUL bytes', make: () => Buffer.alloc(4 * MIB) },
  {
    name: 'UTF-16 without a mark, called UTF-8',
    make: () => Buffer.from(STORY.repeat(50), 'utf16le'),
  },
  {
    name: 'half a character at the end',
    make: () => Buffer.concat([Buffer.from(STORY), Buffer.from([0xf0, 0x9f])]),
  },
  { name: 'an unknown charset', make: () => STORY, contentType: 'text/html; charset=klingon' },
  { name: 'a megabyte of title', make: () => `<title>${'t'.repeat(MIB)}</title>${STORY}` },
  {
    name: 'a base address and a thousand links of every scheme',
    make: () => `<base href="javascript:x">${'<a href="file:///etc/passwd">x</a>'.repeat(1000)}${STORY}`,
  },
];

const never = new AbortController().signal;
const extractor = createExtractor({ threads: 1, timeoutMs: () => 6_000 });
afterAll(() => extractor.close());

const extract = (content: string | Buffer, contentType = 'text/html; charset=utf-8') =>
  extractor.extract(
    { bytes: Buffer.from(content), contentType, mediaType: 'text/html', url: 'https://a.example/' },
    'a user',
    never,
  );

describe('a hostile page', () => {
  const attacks = startCampaign('hostile pages');
  const chosen = attacks.pick(PAGES, 3);

  it.each(chosen)('of $name is read or given up, and the next page is read', async (attack) => {
    const outcome = await extract(attack.make(), attack.contentType).then(
      ({ text }) => text,
      (error: unknown) => error,
    );
    if (outcome instanceof Error) expect(outcome.message).not.toBe('');
    else expect(typeof outcome).toBe('string');
    expect((await extract(STORY)).text).toContain('Consiliul');
    if (attack === chosen.at(-1))
      attacks.summary(`${chosen.length} of ${PAGES.length} pages, read or given up`);
  });
});
