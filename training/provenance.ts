// Measures signed histories and generator metadata: npx tsx training/provenance.ts FOLDER, where FOLDER holds labels.json and the files that it names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readFile } from '../src/media/image/file-facts.ts';
import { mediaFileAt } from '../src/services/extractors/incoming/media-file.ts';
import { readProvenance } from '../src/services/extractors/metadata/provenance-reader.ts';

const labels = z.object({
  items: z.array(
    z.object({
      file: z.string(),
      media_type: z.enum(['image', 'audio', 'video']),
      expected: z.object({
        has_c2pa: z.boolean().optional(),
        c2pa_state: z.enum(['Valid', 'Invalid', 'remote']).optional(),
        c2pa_code: z.string().optional(),
        c2pa_source: z.string().optional(),
        generator_metadata: z.unknown().optional(),
      }),
    }),
  ),
});

const [folder = '.'] = process.argv.slice(2);
const MOST_BYTES = 256 * 1024 * 1024;
const counts = new Map<string, { right: number; all: number }>();

function count(what: string, file: string, isRight: boolean, found: string): void {
  const { right, all } = counts.get(what) ?? { right: 0, all: 0 };
  counts.set(what, { right: right + Number(isRight), all: all + 1 });
  if (!isRight) console.log(`  ${file}: ${what}: ${found}`);
}

const { items } = labels.parse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')));
for (const { file, media_type: type, expected } of items) {
  const path = join(folder, file);
  if (expected.has_c2pa !== undefined) {
    const medium = await mediaFileAt(path, { picture: MOST_BYTES, file: MOST_BYTES });
    const { provenance } = await readProvenance(medium, () => medium.bytes ?? readFileSync(path), undefined);
    const state = expected.has_c2pa ? (expected.c2pa_state ?? 'Valid').toLowerCase() : 'absent';
    count('state', file, provenance.state === state, provenance.state);
    if (expected.c2pa_code !== undefined) {
      const codes = provenance.failures.map(({ code }) => code);
      count('reason of an invalid one', file, codes.includes(expected.c2pa_code), codes.join(' '));
    }
    if (expected.c2pa_source !== undefined) {
      const types = provenance.digital_source_types;
      count('source type', file, types.includes(expected.c2pa_source), types.join(' '));
    }
  }
  if (type !== 'image' || expected.generator_metadata === undefined) continue;
  const { generator } = await readFile(readFileSync(path), undefined);
  const isThere = expected.generator_metadata !== false;
  count(
    isThere ? 'generator found' : 'none found where it was removed',
    file,
    (generator !== null) === isThere,
    generator?.name ?? 'none',
  );
}
for (const [what, { right, all }] of counts) console.log(`${what}: ${right} of ${all}`);
