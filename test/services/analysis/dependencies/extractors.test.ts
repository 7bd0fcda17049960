import { describe, expect, it } from 'vitest';
import {
  createContentRecogniser,
  type ExtractorsClient,
} from '../../../../src/services/analysis/dependencies/extractors.ts';

const run = { account: 'a', correlationId: 'c', signal: new AbortController().signal };
const CONTENT = { faces: [], objects: [], nudity: 0.1 };

/** A reader over extractors that answer so; `asked` has what they were asked, `opened` how often a picture was opened. */
function readerOver(answers: { installed?: boolean | undefined; content?: object | undefined }) {
  const asked: string[] = [];
  const told = { opened: 0 };
  const client = {
    recognition: async () => {
      asked.push('recognition');
      return answers.installed === undefined ? undefined : { installed: answers.installed, en: '', ro: '' };
    },
    detect: async () => {
      asked.push('detect');
      return answers.content;
    },
  } as unknown as Pick<ExtractorsClient, 'detect' | 'recognition'>;
  const read = createContentRecogniser(client);
  const open = async () => {
    told.opened += 1;
    return { content: Buffer.from('x'), fileName: 'k', mediaType: 'image/png' };
  };
  return { asked, told, read: () => read(open, run) };
}

describe('what a picture shows', () => {
  it('is asked for where somebody recognises, and that is asked once', async () => {
    const { asked, read } = readerOver({ installed: true, content: CONTENT });
    expect(await read()).toEqual({ content: CONTENT });
    expect(await read()).toEqual({ content: CONTENT });
    expect(asked).toEqual(['recognition', 'detect', 'detect']);
  });

  it('is not asked for where nothing is installed: no picture is even opened', async () => {
    const { asked, told, read } = readerOver({ installed: false });
    expect(await read()).toEqual({ missing: 'not_installed' });
    expect(await read()).toEqual({ missing: 'not_installed' });
    expect([asked, told.opened]).toEqual([['recognition'], 0]);
  });

  it('is unknown where the extractors are lost, and they are asked again', async () => {
    const answers: Parameters<typeof readerOver>[0] = {};
    const { asked, told, read } = readerOver(answers);
    expect(await read()).toBeUndefined();
    expect(told.opened).toBe(0);
    Object.assign(answers, { installed: true, content: { ...CONTENT, faces: null } });
    expect(await read()).toBeUndefined();
    expect(asked).toEqual(['recognition', 'recognition', 'detect']);
  });
});
