import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import meta from '../../data/taxonomy/technique-meta.json' with { type: 'json' };
import { encodingOf } from '../../src/services/analysis/engines/encoding/text-encoding.ts';
import {
  createTechniquesEngine,
  type TechniquesEngine,
} from '../../src/services/analysis/engines/techniques/engine.ts';
import type { ListCandidate, ScoringMode } from '../../src/services/analysis/engines/techniques/listing.ts';
import {
  readTechniquesModel,
  type TechniquesModel,
  writeTechniquesModel,
} from '../../src/services/analysis/engines/techniques/model-file.ts';
import { countWords } from '../../src/text/words.ts';
import { packagedEncoder } from '../evaluate/task.ts';
import { FOLDS, readArticles } from './held-back.ts';
import type { Range } from './measure.ts';
import { heldBackPieces } from './pieces.ts';

/** A passage that is listed, or could be; places are UTF-16 offsets in the text as it was sent. */
export interface ListRow extends Range, Pick<ListCandidate, 'code' | 'weight' | 'share' | 'inputs'> {
  /** A marked span of the same technique overlaps it. */
  readonly right: boolean;
}

/** A text with its passages. */
export interface ListDocument {
  readonly group: string;
  /** The fold of its models, or by which the fit leaves it out. */
  readonly fold: number;
  /** Whether annotators marked it; elsewhere nothing counts as right. */
  readonly isMarked: boolean;
  readonly gold: readonly (Range & { readonly label: string })[];
  readonly wordCount: number;
  readonly passages: readonly ListRow[];
}

const labelsOfCodes: Readonly<Record<string, readonly string[]>> = meta.label_to_codes.semeval2020;

/** Codes that the corpus has a label for. */
export const LABELLED: ReadonlySet<string> = new Set(Object.values(labelsOfCodes).flat());

/** Codes that a label of the corpus may mean. */
export const codesOfLabel = (label: string): readonly string[] => labelsOfCodes[label] ?? [];

type Text = Pick<ListDocument, 'group' | 'fold' | 'isMarked' | 'gold'> & { readonly text: string };

function documentOf(
  { text, ...rest }: Text,
  engine: TechniquesEngine,
  options: Parameters<TechniquesEngine['listCandidates']>[1],
): ListDocument {
  const passages = engine.listCandidates(text, options).map((item): ListRow => {
    const { start_utf16: start, end_utf16: end, code, weight, share, inputs } = item;
    const right = rest.gold.some(
      (one) => one.start < end && one.end > start && codesOfLabel(one.label).includes(code),
    );
    return { start, end, code, weight, share, inputs, right };
  });
  return { ...rest, wordCount: countWords(text), passages };
}

/** A language that no trained stage reads: the rules of both books work alone. */
const RULES_ALONE = 'und';
const NOTHING = { bounds: new Uint32Array(0), vectors: new Float32Array(0) };

/** Articles with marked spans, each read by models that did not see it; those of folds whose models are in the folder. */
export function markedDocuments(
  folder: string,
  data: string,
  shipped: TechniquesModel,
  reader: ScoringMode,
): ListDocument[] {
  const articles = readArticles(data, shipped.screening.words);
  const pieces = reader === 'pieces' ? heldBackPieces(folder, articles.length) : [];
  const engines = Array.from({ length: FOLDS }, (_, fold) => {
    const file = join(folder, `words-${fold}.bin`);
    if (!existsSync(file)) return undefined;
    const { screening } = readTechniquesModel(readFileSync(file));
    const { combination: close } = shipped.screening;
    return createTechniquesEngine(
      writeTechniquesModel({ ...shipped, screening: { ...screening, combination: close } }),
    );
  });
  // Where one fold alone was read, its articles are parted anew for the fit.
  const isOneFold = new Set([...pieces.keys()].filter((at) => pieces[at]).map((at) => at % FOLDS)).size === 1;
  const foldOf = (index: number) => (isOneFold ? Math.floor(index / FOLDS) : index) % FOLDS;
  return articles.flatMap((article, index) => {
    const [engine, own] = [engines[index % FOLDS], pieces[index]];
    if (engine === undefined || (reader === 'pieces' && own === undefined)) return [];
    const gold = article.spans.map(({ startUtf16, endUtf16, label }) => ({
      start: startUtf16,
      end: endUtf16,
      label,
    }));
    const text = { group: article.doc, fold: foldOf(index), isMarked: true, gold, text: article.text };
    const encoding = { ...NOTHING, pieces: own };
    return [documentOf(text, engine, { language: reader === 'rules' ? RULES_ALONE : 'en', encoding })];
  });
}

/** Texts without marks, each read by the shipped models. */
export function plainDocuments(
  texts: readonly string[],
  name: string,
  shipped: TechniquesModel,
  reader: ScoringMode,
): ListDocument[] {
  const engine = createTechniquesEngine(writeTechniquesModel(shipped));
  return texts.map((text, index) => {
    const pieces =
      reader === 'pieces' ? encodingOf(packagedEncoder(), { text, language: 'en' })?.pieces : undefined;
    const encoding = { ...NOTHING, pieces };
    const plain = { group: `${name} ${index}`, fold: index % FOLDS, isMarked: false, gold: [], text };
    return documentOf(plain, engine, { language: reader === 'rules' ? RULES_ALONE : 'en', encoding });
  });
}
