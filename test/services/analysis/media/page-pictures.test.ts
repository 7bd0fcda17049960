import { describe, expect, it } from 'vitest';
import {
  createPagePictures,
  type PagePicture,
} from '../../../../src/services/analysis/media/page-pictures.ts';
import type {
  PictureExaminer,
  PictureOutcome,
  PictureRun,
} from '../../../../src/services/analysis/media/picture-examiner.ts';
import { PATIENCE_MS } from '../../../patience.ts';

const HASHES: Readonly<Record<string, string>> = {
  one: '0'.repeat(64),
  // Near the first: four bits away.
  near: `f${'0'.repeat(63)}`,
  other: 'a5'.repeat(32),
};

const seen = (name: string, depth: string) =>
  ({ analysis: { hash: { value: HASHES[name], quality: 100 } }, depth }) as unknown as PictureOutcome;
const untilAborted = ({ signal }: Pick<PictureRun, 'signal'>) =>
  new Promise<never>((_, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** Pictures of a page whose close look is as given; media have the names of their addresses. */
function pages(close: PictureExaminer['examine'], limitMs = PATIENCE_MS) {
  const { examine: look } = createPagePictures({
    fetch: async (url) => ({ media: { mediaId: url } as never }),
    examiner: {
      examine: (name, run) =>
        run.depth === 'quick' ? Promise.resolve(seen(name, 'quick')) : close(name, run),
    },
    readText: async () => ({ text: 'words' }),
    most: () => 3,
  });
  const run = {
    account: 'a',
    sessionId: 's',
    correlationId: 'c',
    signal: new AbortController().signal,
    limitMs,
  };
  return { run, look: (...names: string[]) => look(names, run) };
}
const told = (pictures: readonly PagePicture[]) =>
  pictures.map((one) => ('findings' in one ? one.depth : one.refused.code));

describe('the pictures of a page', () => {
  it('are looked at closely, but for near copies of earlier ones', async () => {
    const { look } = pages(async (name) => seen(name, 'full'));
    const pictures = await look('one', 'near', 'other', 'fourth');
    expect(told(pictures)).toEqual(['full', 'page_picture_repeated', 'full']);
    expect(pictures[0]).toMatchObject({ text: 'words', losses: [] });
  });

  it('keep what the quick look found when time is over, and name nobody for it', async () => {
    const { look } = pages((_name, run) => untilAborted(run), 50);
    const pictures = await look('one', 'other');
    expect(told(pictures)).toEqual(['quick', 'quick']);
    expect(pictures.map((one) => ('findings' in one ? one.losses : undefined))).toEqual([[], []]);
  });

  it('keep it when the close look is lost, and name who was', async () => {
    const { look } = pages(async () => ({ lost: 'unavailable', dependency: 'forensic' }));
    expect(await look('one')).toMatchObject([
      { depth: 'quick', losses: [{ dependency: 'forensic', reason: 'unavailable' }] },
    ]);
  });

  it('end with their session', async () => {
    const { examine: look } = createPagePictures({
      fetch: async (_url, run) => untilAborted(run),
      examiner: { examine: async () => seen('one', 'quick') },
      readText: async () => ({ text: '' }),
      most: () => 3,
    });
    const leaving = new AbortController();
    const run = {
      account: 'a',
      sessionId: 's',
      correlationId: 'c',
      signal: leaving.signal,
      limitMs: PATIENCE_MS,
    };
    const looking = look(['one'], run);
    leaving.abort(new Error('canceled'));
    await expect(looking).rejects.toThrow('canceled');
  });
});
