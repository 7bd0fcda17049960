/**
 * Fits the chances that the list of techniques shows, measures them and the list by folds, and tells what calm texts pay. Usage:
 * npx tsx training/techniques-list.ts FOLDER [data folder, default ../shared/data] [--words, --rules or --pieces] [--write]; FOLDER holds what
 * training/techniques/export-pieces.ts, fold-models.ts and upper.py made. Without --write other bounds are tried.
 * What was read is kept in FOLDER/list-*.json.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import {
  type ListWeights,
  listedPassages,
  type ScoringMode,
  shippedListWeights,
} from '../src/services/analysis/engines/techniques/listing.ts';
import { readTechniquesModel } from '../src/services/analysis/engines/techniques/model-file.ts';
import { asTheyAre, calibrationOf, figuresOf } from './evaluate/figures.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { rowsOf, wholeTexts } from './judgement/sets.ts';
import { calibrationError } from './metrics.ts';
import { readRows, shuffled } from './rows.ts';
import { FOLDS } from './techniques/held-back.ts';
import { type Bounds, fitPassages, fitTechniques, techniquesOf, weightsOf } from './techniques/list-fit.ts';
import { LABELLED, type ListDocument, markedDocuments, plainDocuments } from './techniques/list-reading.ts';
import { merged, type Range, spanScore } from './techniques/measure.ts';

const [folder = '', ...rest] = process.argv.slice(2);
const data = rest.find((one) => !one.startsWith('--')) ?? '../shared/data';
const wanted = rest.find((one) => one.startsWith('--') && one !== '--write');
const BOUNDS = [0.2, 0.15, 0.12] as const;
const PRESENCES = [0.5, 0.7, 0.8] as const;
const shipped = readTechniquesModel(readFileSync(packageFile('models', 'techniques.bin')));
const log = (line: string) => process.stdout.write(`${line}\n`);

/** Calm English texts and passages of our own. */
const calmTexts = [
  ...rowsOf('calm').filter(({ lang }) => lang === 'en'),
  ...wholeTexts(undefined, data).filter(
    ({ lang, expected }) => lang === 'en' && expected?.accept.length === 1 && expected.accept[0] === 'low',
  ),
].map(({ text }) => text);
/** Mainstream articles that taught whole texts nothing. */
const MAINSTREAM_FROM = 100;
const CHECKED = { from: 160, to: 230 } as const;
const mainstream = shuffled(
  readRows<{ text: string; label: string }>(data, 'hyperpartisan').filter(
    ({ label }) => label === 'mainstream',
  ),
  7,
).map(({ text }) => text);
const PAGES = 80;
const pages = () =>
  readFileSync(join(data, 'extraction', 'wcxb-dev', 'index.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { gold?: { text: string } }).gold?.text ?? '')
    .filter((text) => text.length > 500)
    .slice(0, PAGES);

/** Folds whose models are in the folder. */
const foldsOf = (reader: ScoringMode) =>
  Array.from({ length: FOLDS }, (_, fold) => fold).filter((fold) =>
    existsSync(join(folder, reader === 'pieces' ? `fold-${fold}.f32` : `words-${fold}.bin`)),
  );

/** What the models in the folder can read with. */
const READERS = (['words', 'rules', 'pieces'] as const)
  .filter((reader) => foldsOf(reader).length > 0)
  .filter((reader) => wanted === undefined || wanted === `--${reader}`);

/** All documents of one reader: marked articles, and the sets without marks by name. */
interface Sets {
  readonly marked: ListDocument[];
  readonly calm: ListDocument[];
  readonly mainstream: ListDocument[];
  readonly checked: ListDocument[];
  readonly pages: ListDocument[];
}

function kept<Value>(name: string, make: () => Value): Value {
  const file = join(folder, `list-${name}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Value;
  const value = make();
  writeFileSync(file, JSON.stringify(value));
  return value;
}

function setsOf(reader: ScoringMode): Sets {
  const plain = (name: string, texts: () => readonly string[]) =>
    kept(`${reader}-${name}`, () => plainDocuments(texts(), name, shipped, reader));
  return {
    marked: kept(`${reader}-marked-${foldsOf(reader).join('')}`, () =>
      markedDocuments(folder, data, shipped, reader),
    ),
    calm: plain('calm', () => calmTexts),
    mainstream: plain('mainstream', () => [
      ...mainstream.slice(MAINSTREAM_FROM, CHECKED.from),
      ...mainstream.slice(CHECKED.to),
    ]),
    checked: plain('checked', () => mainstream.slice(CHECKED.from, CHECKED.to)),
    pages: plain('pages', pages),
  };
}

/** Weights by fold, each fitted without it, and those of all. */
interface Fits {
  readonly byFold: readonly ListWeights[];
  readonly all: ListWeights;
}

type Passages = ReturnType<typeof fitPassages>;
const documentsOf = (sets: Sets) => [...sets.marked, ...sets.calm, ...sets.mainstream];
const without = (documents: readonly ListDocument[], fold: number) =>
  documents.filter((one) => one.fold !== fold);
const FOLD_NUMBERS = Array.from({ length: FOLDS }, (_, fold) => fold);

/** Chances of passages by fold, and those of all. */
function passagesOf(sets: Sets): { byFold: Passages[]; all: Passages } {
  const documents = documentsOf(sets);
  return {
    byFold: FOLD_NUMBERS.map((fold) => fitPassages(without(documents, fold))),
    all: fitPassages(documents),
  };
}

function fitsOf(
  sets: Sets,
  reader: ScoringMode,
  passages: ReturnType<typeof passagesOf>,
  bounds: Bounds,
): Fits {
  const documents = documentsOf(sets);
  const fit = (some: readonly ListDocument[], own: Passages) =>
    weightsOf(reader, fitTechniques(some, reader, own, bounds));
  return {
    byFold: passages.byFold.map((own, fold) => fit(without(documents, fold), own)),
    all: fit(documents, passages.all),
  };
}

const rangesOf = (passages: readonly Range[]) => merged(passages.map(({ start, end }) => ({ start, end })));

type WeightsOf = (document: ListDocument) => ListWeights;

/** Chances of passages and techniques with what is right. */
function chancesOf(documents: readonly ListDocument[], reader: ScoringMode, weights: WeightsOf) {
  const passages = documents.flatMap((document) =>
    listedPassages(document.passages, reader, weights(document))
      .filter(({ code }) => LABELLED.has(code))
      .map(({ confidence, right, weight }) => ({
        score: confidence,
        truth: right,
        group: document.group,
        weight,
      })),
  );
  const techniques = documents.flatMap((document) =>
    techniquesOf(document, reader, weights(document)).map(({ confidence, right }) => ({
      score: confidence,
      truth: right,
      group: document.group,
    })),
  );
  return { passages, techniques };
}

/** The list against the marked spans, and its chances, on marked articles alone and with calm texts and mainstream articles. */
function measuresOf({ marked, calm, mainstream: others }: Sets, reader: ScoringMode, weights: WeightsOf) {
  const lists = marked.map((document) => ({
    found: rangesOf(listedPassages(document.passages, reader, weights(document))),
    gold: rangesOf(document.gold),
    group: document.group,
  }));
  const own = chancesOf(marked, reader, weights);
  const all = chancesOf([...marked, ...calm, ...others], reader, weights);
  return { lists, own, all };
}

function figuresOfList(part: string, { lists, own, all }: ReturnType<typeof measuresOf>) {
  const calibrationOfList = (name: string, { passages, techniques }: typeof own) => [
    ...figuresOf(name, passages, {
      'calibration error of listed passages': calibrationOf(passages, asTheyAre),
    }),
    ...figuresOf(name, techniques, {
      'calibration error of listed techniques': calibrationOf(techniques, asTheyAre),
    }),
  ];
  return [
    ...figuresOf(part, lists, {
      'span F1 of the list': { of: (some) => spanScore(some).f1 },
      'span precision of the list': { of: (some) => spanScore(some).precision },
      'span recall of the list': { of: (some) => spanScore(some).recall },
    }),
    ...calibrationOfList(part, own),
    ...calibrationOfList(`${part}, with calm texts`, all),
  ];
}

/** Texts that list anything, and passages in all. */
function tallyOf(documents: readonly ListDocument[], reader: ScoringMode, weights: WeightsOf): string {
  const counts = documents.map((one) => listedPassages(one.passages, reader, weights(one)).length);
  return `${counts.filter((count) => count > 0).length} (${counts.reduce((sum, count) => sum + count, 0)})`;
}

function tell(name: string, sets: Sets, reader: ScoringMode, weights: WeightsOf): void {
  const { lists, own, all } = measuresOf(sets, reader, weights);
  const { precision, recall, f1 } = spanScore(lists);
  const errors = [own.passages, own.techniques, all.passages, all.techniques].map((rows) =>
    calibrationError(rows).toFixed(3),
  );
  const { calm, mainstream: others, checked, pages: web } = sets;
  const tallies = Object.entries({ calm, others, checked, web })
    .map(([set, documents]) => `${set} ${tallyOf(documents, reader, weights)}`)
    .join(', ');
  const found = `P ${precision.toFixed(3)} R ${recall.toFixed(3)} F1 ${f1.toFixed(3)}`;
  log(`${name}: ${found}; calibration ${errors.join(', ')}; lists: ${tallies}`);
}

const nothingMore = { least_chance: 1, least_presence: 1 };
/** Lists by other bounds, and what calm texts pay. */
function tryBounds(): void {
  for (const reader of READERS) {
    const sets = setsOf(reader);
    log(
      `${reader}: ${sets.marked.length} marked articles, ${sets.calm.length} calm, ${sets.mainstream.length} and ${sets.checked.length} mainstream, ${sets.pages.length} pages`,
    );
    const passages = passagesOf(sets);
    const of = (bounds: Bounds): WeightsOf => {
      const { byFold, all } = fitsOf(sets, reader, passages, bounds);
      return ({ fold }) => byFold[fold] ?? all;
    };
    tell('what counts alone', sets, reader, of(nothingMore));
    if (reader === 'rules') continue;
    for (const least_chance of BOUNDS)
      for (const least_presence of PRESENCES)
        tell(
          `from ${least_chance}, presence ${least_presence}`,
          sets,
          reader,
          of({ least_chance, least_presence }),
        );
  }
}

/** Writes weights and figures by the bounds that the package has. */
function writeFitted(): void {
  const readers = { ...shippedListWeights.readers };
  for (const reader of READERS) {
    const sets = setsOf(reader);
    const { least_chance, least_presence } = shippedListWeights.readers[reader];
    const fits = fitsOf(sets, reader, passagesOf(sets), { least_chance, least_presence });
    readers[reader] = fits.all.readers[reader];
    const weights: WeightsOf = ({ fold }) => fits.byFold[fold] ?? fits.all;
    tell(reader, sets, reader, weights);
    const measures = measuresOf(sets, reader, weights);
    const figures = figuresOfList(`en, read with ${reader}`, measures);
    const folds = foldsOf(reader).length;
    recordFigures({
      task: 'techniques',
      split: `the list, ${folds} of ${FOLDS} folds by article, ${sets.marked.length} articles, read with ${reader}`,
      figures,
    });
  }
  const weights = { ...shippedListWeights, readers };
  writeFileSync(packageFile('models', 'techniques-list-weights.json'), `${JSON.stringify(weights)}\n`);
}

if (process.argv.includes('--write')) writeFitted();
else tryBounds();
