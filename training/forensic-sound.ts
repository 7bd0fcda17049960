// Measures the detectors of sound: npx tsx training/forensic-sound.ts FOLDER, where FOLDER holds labels.json and the recordings that it names.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { parseSettings } from '../src/foundation/settings.ts';
import { createRecordingExaminer } from '../src/services/forensic/recordings.ts';
import { forensicSettings } from '../src/services/forensic/settings.ts';

const labels = z.object({
  items: z.array(
    z.object({
      file: z.string(),
      media_type: z.string(),
      expected: z.object({ synthetic_speech: z.boolean().optional(), lip_sync: z.boolean().optional() }),
    }),
  ),
});

/** How recordings travel: as they are, and compressed as messengers do. */
const COPIES: readonly (readonly [extension: string, args: readonly string[]])[] = [
  ['mp3', ['-b:a', '48k']],
  ['opus', ['-b:a', '24k']],
  ['m4a', ['-b:a', '64k']],
];

const [folder = '.'] = process.argv.slice(2);
const { items } = labels.parse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')));
const place = mkdtempSync(join(tmpdir(), 'forensic-sound-'));
const examiner = createRecordingExaminer(parseSettings(forensicSettings, {}));
const counts = new Map<string, { all: number; found: number; least: number; most: number }>();

for (const { file, expected } of items) {
  const made = expected.synthetic_speech ?? (expected.lip_sync === true ? false : undefined);
  if (made === undefined) continue;
  const source = join(folder, file);
  for (const [extension, args] of [['as it is', null] as const, ...COPIES]) {
    const path = args === null ? source : join(place, `copy.${extension}`);
    if (args !== null) execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', source, '-vn', ...args, path]);
    const { soundExamination } = await examiner.examine(
      { path, depth: 'quick' },
      'training',
      new AbortController().signal,
    );
    const silence = soundExamination?.results.find(({ detector }) => detector === 'digital_silence');
    const kind = `${made ? 'made' : 'recorded'}, ${extension}${silence?.applicable === true ? '' : ', not applicable'}`;
    const row = counts.get(kind) ?? { all: 0, found: 0, least: 1, most: 0 };
    const score = silence?.score ?? 0;
    counts.set(kind, {
      all: row.all + 1,
      found: row.found + (silence?.found === true ? 1 : 0),
      least: Math.min(row.least, score),
      most: Math.max(row.most, score),
    });
  }
}
rmSync(place, { recursive: true });
for (const [kind, { all, found, least, most }] of [...counts].sort())
  console.log(`${kind}: ${found} of ${all} found, shares ${least.toFixed(4)} to ${most.toFixed(4)}`);
