// Judges recordings as an analysis does without a vision model and without a signed history, as they are and as messengers pass them on:
// npx tsx training/recording-verdicts.ts FOLDER, where FOLDER holds labels.json and the recordings that it names. Ends with 1 when one that nobody
// made or changed is judged to be made or changed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pino } from 'pino';
import { z } from 'zod';
import { createMetrics } from '../src/foundation/metrics.ts';
import { buildService } from '../src/foundation/service.ts';
import { parseSettings } from '../src/foundation/settings.ts';
import { recordingBlock } from '../src/services/analysis/engines/ai-recording/block.ts';
import { SHIPPED_TUNING } from '../src/services/analysis/resources/tuning.ts';
import { recordingAnalysis } from '../src/services/forensic/resources/recording.ts';
import { forensicService } from '../src/services/forensic/service.ts';
import { forensicSettings } from '../src/services/forensic/settings.ts';

const labels = z.object({
  items: z.array(
    z.object({
      file: z.string(),
      media_type: z.string(),
      expected: z.object({
        synthetic_speech: z.boolean().optional(),
        tampered: z.boolean().optional(),
        synthetic_pulse_bpm: z.unknown().optional(),
      }),
    }),
  ),
});

type Copy = readonly [name: string, extension: string, args: readonly string[]];
/** How sounds travel: voice messages, and what players make of them. */
const SOUND_COPIES: readonly Copy[] = [
  ['MP3 48k', 'mp3', ['-b:a', '48k']],
  ['Opus 16k, one channel', 'ogg', ['-ac', '1', '-ar', '16000', '-c:a', 'libopus', '-b:a', '16k']],
  ['AAC 64k', 'm4a', ['-b:a', '64k']],
  ['telephone, 8 kHz', 'wav', ['-ac', '1', '-ar', '8000']],
];
/** How films travel: smaller, at another frame rate, compressed strongly. */
const FILM_COPIES: readonly Copy[] = [
  ['H.264 480 wide, crf 30, AAC 48k', 'mp4', ['-vf', 'scale=480:-2', '-crf', '30', '-b:a', '48k']],
  [
    'H.264 240 wide, crf 36, 15 a second, AAC 32k',
    'mp4',
    ['-vf', 'scale=240:-2,fps=15', '-crf', '36', '-b:a', '32k'],
  ],
  ['VP8 320 wide, 300k, Opus 24k', 'webm', ['-vf', 'scale=320:-2', '-b:v', '300k', '-b:a', '24k']],
  ['between bars, crf 28', 'mp4', ['-vf', 'pad=iw:2*trunc(ih*0.66):0:(oh-ih)/2', '-crf', '28']],
];
/** Verdicts that accuse. */
const ACCUSING: ReadonlySet<string | null> = new Set(['likely_ai_or_tampered', 'strong_evidence']);

const [folder = '.'] = process.argv.slice(2);
const { items } = labels.parse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')));
const place = mkdtempSync(join(tmpdir(), 'recording-verdicts-'));
const forensic = await buildService(
  forensicService,
  parseSettings(forensicSettings, { FORENSIC_RECORDING_TIMEOUT_MS: '600000' }),
  {
    home: place,
    version: '0.0.0',
    publicUrl: 'http://127.0.0.1',
    log: pino({ level: 'silent' }),
    metrics: createMetrics(),
    database: () => Promise.reject(new Error('this service keeps nothing')),
  },
);
const url = await forensic.app.listen({ host: '127.0.0.1', port: 0 });

async function judge(path: string, kind: 'audio' | 'video') {
  const body = new FormData();
  body.append('file', new Blob([Uint8Array.from(readFileSync(path))]), 'a');
  const answer = await fetch(`${url}/v1/analyze/recording`, { method: 'POST', body });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  const analysis = recordingAnalysis.parse(await answer.json());
  const facts = {
    media_id: analysis.request_id,
    mime_type: analysis.mime_type,
    size_bytes: analysis.size_bytes,
    sha256: analysis.sha256,
    duration_s: analysis.duration_s,
  };
  const examined = {
    kind,
    facts,
    depth: 'full',
    forensic: analysis,
    provenance: null,
    seenBefore: null,
    durationMs: 0,
  } as const;
  return recordingBlock(examined, SHIPPED_TUNING.aiVerdictFrom);
}

const counts = new Map<string, { all: number; accused: number; found: number; highest: number }>();
// Sounds take a second each, films minutes.
for (const { file, media_type: type, expected } of items.toSorted((one, two) =>
  one.media_type.localeCompare(two.media_type),
)) {
  const kind = type === 'video' ? 'video' : 'audio';
  if (type === 'image' || expected.synthetic_pulse_bpm !== undefined) continue;
  const isTouched = expected.tampered === true || expected.synthetic_speech === true;
  const copies: readonly Copy[] = kind === 'video' ? FILM_COPIES : SOUND_COPIES;
  for (const [name, extension, args] of [['as it is', extname(file).slice(1), null] as const, ...copies]) {
    const path = args === null ? join(folder, file) : join(place, `copy.${extension}`);
    const source = ['-v', 'error', '-nostdin', '-y', '-i', join(folder, file)];
    if (args !== null)
      execFileSync('ffmpeg', [...source, '-sn', '-dn', '-pix_fmt', 'yuv420p', ...args, path]);
    const { verdict, ai_probability: probability, indicators_detected: found } = await judge(path, kind);
    const group = `${isTouched ? 'made or changed' : 'untouched'}, ${kind}, ${name}`;
    const row = counts.get(group) ?? { all: 0, accused: 0, found: 0, highest: 0 };
    counts.set(group, {
      all: row.all + 1,
      accused: row.accused + (ACCUSING.has(verdict) ? 1 : 0),
      found: row.found + (found.length > 0 ? 1 : 0),
      highest: Math.max(row.highest, probability ?? 0),
    });
    console.log(
      `${file}, ${name}: ${verdict}, ${probability ?? 'no number'} ${found.map(({ code }) => code).join(' ')}`,
    );
  }
}
await forensic.close();
rmSync(place, { recursive: true });
console.log(
  '\n| recordings | judged made or changed | with a trace | highest probability |\n|---|---|---|---|',
);
for (const [group, { all, accused, found, highest }] of [...counts].sort())
  console.log(`| ${group} | ${accused} of ${all} | ${found} | ${highest} |`);
const wrong = [...counts].filter(([group, { accused }]) => group.startsWith('untouched') && accused > 0);
process.exitCode = wrong.length > 0 ? 1 : 0;
