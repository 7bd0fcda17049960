// Writes data/evidence/starter/vectors.bin: the vector of each passage of the starter set, so that a new installation need not
// encode them. Run it after a change of the set or of the encoder: npx tsx training/starter-vectors.ts
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openDatabase } from '../src/foundation/database/database.ts';
import { packageFile } from '../src/foundation/files.ts';
import { openEvidenceIndex } from '../src/services/web/evidence-index/evidence-index.ts';
import { importStarterSet, readStarterRows } from '../src/services/web/evidence-index/starter.ts';
import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { writeVectors } from '../src/text/encoder/vector-file.ts';
import { identifyLanguage } from '../src/text/language.ts';
import { loadLinear } from '../src/text/linear.ts';
import { readEncoderParts } from './encoder/parts.ts';

const log = pino({ level: 'silent' });
const languages = loadLinear(readFileSync(packageFile('models', 'language.bin')));
const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
const home = mkdtempSync(join(tmpdir(), 'limpede-starter-vectors-'));
const database = await openDatabase({ home, log });
try {
  const index = await openEvidenceIndex({
    database,
    encoder: { encode: async () => undefined },
    languageOf: (text) => identifyLanguage(languages, text).code,
    log,
  });
  await importStarterSet(index, readStarterRows());
  const passages = await database
    .kysely<{ evidence_passage: { text: string } }>()
    .selectFrom('evidence_passage')
    .select('text')
    .distinct()
    .execute();
  const texts = passages.map(({ text }) => text).filter((text) => /[\p{L}\p{N}]/u.test(text));
  const vectors = new Map(
    encoder
      .encode(texts)
      .flatMap(({ vector }, place) => (vector === null ? [] : [[texts[place] ?? '', vector]])),
  );
  writeFileSync(packageFile('data', 'evidence', 'starter', 'vectors.bin'), writeVectors(vectors));
  console.log(`${vectors.size} vectors of ${passages.length} passages`);
} finally {
  await database.close();
  rmSync(home, { recursive: true });
}
