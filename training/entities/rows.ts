import type { EntityKind } from '../../src/text/entities/entities.ts';

/** A sentence with its tags. */
export interface EntityRow {
  readonly tokens: readonly string[];
  readonly tags: readonly string[];
  readonly lang: string;
  readonly source: string;
}

/** UNER and BTC have no MISC: there nobody looked for it. */
export const hasMisc = (source: string) => !source.startsWith('UNER') && !source.startsWith('Broad Twitter');

/** Whether an entity of this kind is neither right nor wrong in a corpus. */
export const isNeverMisc = (kind: EntityKind, source: string) => kind === 'other' && !hasMisc(source);

/** The two editions of RONEC had other annotators and rules; English is learned without such a distinction. */
export function corpusOf(source: string, language: string): string {
  if (language !== 'ro') return '';
  return source.startsWith('RONEC v2') ? 'ronec-2' : 'ronec-1';
}

/** The manner in which the shipped models tell names. */
export const INFERENCE_CORPUS = { en: '', ro: 'ronec-2' } as const;

const KINDS: Readonly<Record<string, EntityKind>> = {
  PER: 'person',
  ORG: 'organisation',
  LOC: 'place',
  MISC: 'other',
};

/** Entities of a row of tags: "from to kind". A run that begins inside, or changes its kind, begins anew. */
export function goldRuns(tags: readonly string[]): string[] {
  const runs: string[] = [];
  let [from, kind] = [-1, ''];
  const close = (to: number) => {
    const name = KINDS[kind];
    if (from >= 0 && name !== undefined) runs.push(`${from} ${to} ${name}`);
    from = -1;
  };
  tags.forEach((tag, at) => {
    const own = tag.slice(2).toUpperCase();
    if (tag[0] === 'I' && from >= 0 && own === kind) return;
    close(at);
    if (tag === 'O' || tag === '') return;
    [from, kind] = [at, own];
  });
  close(tags.length);
  return runs;
}
