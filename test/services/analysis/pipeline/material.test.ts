import { describe, expect, it } from 'vitest';
import type { FetchPage, PageOutcome } from '../../../../src/services/analysis/dependencies/pages.ts';
import {
  immediateMaterial,
  makeMaterial,
  materialAfterFailure,
  possibleKinds,
  preparationTimeMs,
} from '../../../../src/services/analysis/pipeline/material.ts';
import { CanceledError } from '../../../../src/services/analysis/pipeline/time-limit.ts';
import { TEXT_LENGTH } from '../../../../src/services/analysis/resources/analyze-request.ts';
import { NO_MEDIA, submissionOf } from '../harness.ts';

const URL = 'https://example.org/a';
const page = submissionOf({ mediaType: 'url', text: null, url: URL });
const run = { signal: new AbortController().signal, correlationId: 'c', account: 'clients/ana' };
const facts = {
  url: 'https://example.org/b',
  title: 'A title',
  publisher: null,
  author: null,
  published_at: null,
  images: [],
  flags: ['paywalled'],
};

const toolsFor = (fetchPage: FetchPage) => ({ ...NO_MEDIA, fetchPage, identify: () => 'ro' });
const answering = (outcome: PageOutcome) => toolsFor(async () => outcome);
const noPage = toolsFor(() => Promise.reject(new Error('no page is asked for')));

describe('the material of a text', () => {
  it('is there at once, with its language', async () => {
    const text = 'Un text destul de lung.';
    const submission = submissionOf({ text });
    expect(preparationTimeMs(submission)).toBe(0);
    expect(await immediateMaterial(submission, noPage, 'c')).toEqual({
      step: 'material',
      material: { mediaType: 'text', title: null, parts: { text: { text, language: 'ro' } }, missing: {} },
      degraded: [],
    });
  });
});

describe('the material of a page', () => {
  it('is its text, its facts and the address that it came from', async () => {
    const text = 'The text of the page, long enough.';
    const tools = answering({ page: { ...facts, text } });
    expect(await immediateMaterial(page, tools, 'c')).toBeNull();
    expect(await makeMaterial(page, tools, run)).toEqual({
      step: 'material',
      material: {
        mediaType: 'url',
        title: 'A title',
        parts: {
          source_address: { url: 'https://example.org/b' },
          page: facts,
          text: { text, language: 'ro' },
        },
        missing: {},
      },
      degraded: [],
    });
  });

  it('holds no text when the page has too little, and none beyond the limit', async () => {
    const short = await makeMaterial(page, answering({ page: { ...facts, text: 'Short.' } }), run);
    expect(short.material.parts).toEqual({ source_address: { url: URL }, page: facts });
    expect(short.material.missing).toEqual({ text: { code: 'no_article_text', values: {} } });
    const long = '🙂'.repeat(TEXT_LENGTH.max + 1);
    const cut = await makeMaterial(page, answering({ page: { ...facts, text: long } }), run);
    expect([...(cut.material.parts.text?.text ?? '')]).toHaveLength(TEXT_LENGTH.max);
  });

  it('can be stored whatever its page calls itself', async () => {
    const named = { ...facts, title: 'A\0title \ud800', text: 'The text of the page\0, long enough.' };
    const { material } = await makeMaterial(page, answering({ page: named }), run);
    expect(material.title).toBe('A\ufffdtitle \ufffd');
    expect(material.parts.text?.text).toBe('The text of the page\ufffd, long enough.');
  });

  it('keeps its address and the reason when the page cannot be read', async () => {
    const refused = { code: 'page_http_status', values: { status: 404 } } as const;
    const { material, degraded } = await makeMaterial(page, answering({ refused }), run);
    expect(material.parts).toEqual({ source_address: { url: URL } });
    expect(material.missing).toEqual({ page: refused, text: refused });
    expect(degraded).toEqual([]);
  });

  const lost = (why: string) => ({
    page: { code: why, values: {} },
    text: { code: why, values: {} },
  });

  it('names the web service when that was lost', async () => {
    const { material, degraded } = await makeMaterial(page, answering({ lost: 'rate_limited' }), run);
    expect(material.missing).toEqual(lost('web_service_lost'));
    expect(degraded).toEqual([{ dependency: 'web', reason: 'rate_limited', effect: 'part_missing' }]);
  });

  it('names the web service when the step was given up', async () => {
    const { material, degraded } = await materialAfterFailure(page, noPage, 'c');
    expect(material.missing).toEqual(lost('page_step_failed'));
    expect(degraded).toEqual([{ dependency: 'web', reason: 'unavailable', effect: 'part_missing' }]);
  });

  it('is not made for a session that was canceled', async () => {
    const signal = AbortSignal.abort();
    await expect(makeMaterial(page, noPage, { ...run, signal })).rejects.toThrow(CanceledError);
  });
});

it('a plan knows what a kind of content can come to have', () => {
  expect(possibleKinds({ mediaType: 'text' })).toEqual(new Set(['text']));
  expect(possibleKinds({ mediaType: 'url' })).toEqual(new Set(['source_address', 'page', 'text']));
  expect(possibleKinds({ mediaType: 'audio' })).toEqual(
    new Set(['sound', 'text', 'transcript', 'recording', 'recognised_text']),
  );
});
