import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { EvidenceConnection } from '../../../src/cli/evidence/access.ts';
import { importSource, namesakes } from '../../../src/cli/evidence/import.ts';
import { matchOrigins, originOf } from '../../../src/cli/evidence/sources.ts';
import {
  type EvidenceIndex,
  openEvidenceIndex,
} from '../../../src/services/web/evidence-index/evidence-index.ts';
import { forEachEngine, silent } from '../../foundation/database/engines.ts';
import { languageOf } from '../../services/web/evidence-index/packaged-encoder.ts';

const quiet = () => undefined;

forEachEngine((engine) => {
  let index: EvidenceIndex;
  let access: EvidenceConnection;
  let folder: string;
  const folders: string[] = [];
  beforeAll(async () => {
    const encoder = { encode: async () => undefined };
    index = await openEvidenceIndex({ database: engine.database(), encoder, languageOf, log: silent });
    // The index without the service before it.
    access = {
      client: {
        importEvidence: async ({ body }: { body: { origin: string; entries: never[] } }) => ({
          ...(await index.store({ operator: 'local', name: body.origin }, body.entries)),
          failed: [],
        }),
      } as unknown as EvidenceConnection['client'],
      stop: async () => undefined,
    };
  });
  beforeEach(async () => {
    for (const { operator, origin } of await index.list()) await index.remove({ operator, origin });
    folder = mkdtempSync(join(tmpdir(), 'limpede-imports-'));
    folders.push(folder);
  });
  afterAll(() => {
    for (const one of folders) rmSync(one, { recursive: true });
  });

  function library(place: string, files: Record<string, string>): string {
    const path = join(folder, place, 'library');
    mkdirSync(path, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
    return path;
  }
  const bring = (source: string, origin = originOf(source), earlier = new Set<string>()) =>
    importSource(access, { source, origin, earlier }, [], quiet);
  const documents = async () => (await index.statistics()).documents;

  it('keeps files of one name from folders of one name', async () => {
    const one = library('a', { 'notes.md': 'Podul din Galați a fost închis în mai.' });
    const other = library('b', { 'notes.md': 'Spitalul din Zalău a primit aparate noi.' });
    expect(await bring(one)).toMatchObject({ added: 1, changed: 0 });
    expect(await bring(other)).toMatchObject({ added: 1, changed: 0 });
    expect(await documents()).toBe(2);
    expect(await bring(one)).toMatchObject({ added: 0, changed: 0, unchanged: 1 });
  });

  it('keeps files of one name', async () => {
    const [one, other] = [library('a', { 'n.md': 'One text.' }), library('b', { 'n.md': 'Another text.' })];
    await bring(join(one, 'n.md'));
    await bring(join(other, 'n.md'));
    expect(await documents()).toBe(2);
  });

  it('takes a folder for the same by whichever way it is named', async () => {
    const path = library('a', { 'notes.md': 'Podul din Galați a fost închis în mai.' });
    symlinkSync(join(folder, 'a'), join(folder, 'way'));
    await bring(path);
    expect(await bring(join(folder, 'way', 'library'))).toMatchObject({ added: 0, unchanged: 1 });
    expect(await bring(`${path}/`)).toMatchObject({ added: 0, unchanged: 1 });
  });

  it('brings a moved folder as another, which is found by its name and may keep the old one', async () => {
    const path = library('a', { 'notes.md': 'Podul din Galați a fost închis în mai.' });
    const before = originOf(path);
    await bring(path);
    mkdirSync(join(folder, 'b'));
    const moved = join(folder, 'b', 'library');
    renameSync(path, moved);
    const names = (await index.list()).map(({ origin }) => origin);
    expect(originOf(moved)).not.toBe(before);
    expect(namesakes(originOf(moved), names)).toEqual([before]);
    expect(await bring(moved, before)).toMatchObject({ added: 0, unchanged: 1 });
    expect(matchOrigins('library', names)).toEqual([before]);
  });

  it('says which files of a second source have the name of one of the first, under one name for both', async () => {
    const earlier = new Set<string>();
    const one = library('a', { 'notes.md': 'Podul din Galați a fost închis în mai.' });
    const other = library('b', { 'notes.md': 'Spitalul din Zalău a primit aparate noi.', 'x.md': 'New.' });
    await bring(one, 'facts', earlier);
    const second = await bring(other, 'facts', earlier);
    expect(second).toMatchObject({ added: 1, changed: 0 });
    expect(second.failed).toEqual([expect.stringMatching(/^notes\.md: .*name/)]);
    expect(await documents()).toBe(2);
  });

  it('keeps documents of one title, in one file and in several', async () => {
    const row = (text: string) => `${JSON.stringify({ title: 'Raport', text })}\n`;
    const path = library('a', {
      'a.jsonl': row('Apele au crescut.') + row('Apele au scăzut.'),
      'b.jsonl': row('Podul s-a închis.'),
    });
    expect(await bring(path)).toMatchObject({ added: 3, changed: 0, unchanged: 0 });
    expect(await bring(path)).toMatchObject({ added: 0, changed: 0, unchanged: 3 });
  });
});

it.each([
  ['library', ['library@0a1b2c3d', 'https://facts.example/feed.xml'], ['library@0a1b2c3d']],
  ['library', ['library@0a1b2c3d', 'library@4e5f6a7b'], ['library@0a1b2c3d', 'library@4e5f6a7b']],
  ['library', ['library', 'library@4e5f6a7b'], ['library']],
  ['library@4e5f6a7b', ['library@0a1b2c3d', 'library@4e5f6a7b'], ['library@4e5f6a7b']],
  ['rary', ['library@0a1b2c3d'], []],
  ['/nowhere/library/', ['library'], ['library']],
])('%s among %j means %j', (what, names, expected) => {
  expect(matchOrigins(what, names)).toEqual(expected);
});
