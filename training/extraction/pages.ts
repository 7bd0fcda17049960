import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse as parseHost } from 'tldts';
import { decodePage } from '../../src/services/web/extract/charset.ts';
import { pageStatements } from '../../src/services/web/extract/extract.ts';
import { lineFeatures } from '../../src/services/web/extract/line-features.ts';
import { pageFactsOf, readPageMetadata } from '../../src/services/web/extract/metadata.ts';
import { readPage } from '../../src/services/web/extract/page.ts';
import type { LineLayout, LineRange } from '../../src/services/web/extract/second-stage-features.ts';
import { hashText } from '../../src/text/features.ts';
import { goldShares, tokensOf } from './align.ts';

/** A page with its gold text, measured. */
export interface TrainingPage {
  readonly set: string;
  readonly id: string;
  readonly type: string;
  /** 0 to 3, by site: pages of one site are never on two sides. */
  readonly fold: number;
  readonly gold: string;
  readonly goldWords: number;
  readonly lines: readonly string[];
  /** Words of each line, and the share of them that belongs to the gold text. */
  readonly words: readonly number[];
  readonly shares: readonly number[];
  /** Features of each line. */
  readonly rows: readonly Float32Array[];
  readonly places: LineLayout;
}

interface Row {
  readonly id: string;
  readonly url: string;
  readonly file: string;
  readonly charset: string | null;
  readonly gold: { readonly text: string; readonly type?: string };
}

/** Sets with gold text. */
export const SETS = ['aeb', 'wcxb-dev'] as const;
const FOLDS = 4;
/** No page of the sets is younger. */
const LATEST = '2026-12-31';

/** Reads and measures every page of the sets. */
export function readTrainingPages(folder: string): TrainingPage[] {
  return SETS.flatMap((set) =>
    readFileSync(join(folder, 'extraction', set, 'index.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => trainingPage(set, join(folder, 'extraction', set, 'pages'), JSON.parse(line) as Row)),
  );
}

const ranges = new WeakMap<LineRange, LineRange>();
/** The range of an element, one object for each element. */
function rangeOf(element: LineRange): LineRange {
  const known = ranges.get(element) ?? { firstLine: element.firstLine, endLine: element.endLine };
  ranges.set(element, known);
  return known;
}

function trainingPage(set: string, folder: string, { id, url, file, charset, gold }: Row): TrainingPage {
  const bytes = gunzipSync(readFileSync(join(folder, file)));
  const contentType = charset === null ? 'text/html' : `text/html; charset=${charset}`;
  const page = readPage(decodePage(bytes, contentType).text);
  const statements = readPageMetadata(page, url);
  const { rows, places } = lineFeatures(page, pageStatements(statements, pageFactsOf(statements, LATEST)));
  const lines = page.lines.map(({ text }) => text);
  return {
    set,
    id,
    type: gold.type ?? 'article',
    fold: foldOf(url),
    gold: gold.text,
    goldWords: tokensOf(gold.text).length,
    lines,
    words: lines.map((text) => tokensOf(text).length),
    shares: goldShares(lines, gold.text),
    rows,
    // The elements themselves lead to the whole page.
    places: {
      ...places,
      levels: places.levels.map((levels) => levels.map(rangeOf)),
    },
  };
}

const foldOf = (url: string) => (hashText(parseHost(url).domain ?? url) >>> 8) % FOLDS;
