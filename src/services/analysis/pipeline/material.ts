import { storableText } from '../../../foundation/database/storable.ts';
import type { FetchedPage, FetchPage } from '../dependencies/pages.ts';
import type { Reason } from '../reasons.ts';
import { TEXT_LENGTH } from '../resources/analyze-request.ts';
import type { MaterialCheckpoint } from '../session/checkpoint.ts';
import type { Material } from '../session/material.ts';
import type { Submission } from '../session/submission.ts';
import { codePointLength } from './intake.ts';

/** Names the language of a text: ISO 639-1, or und. */
export type IdentifyLanguage = (text: string) => string;

/** The first code points of a text, whole characters only. */
function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The material of a submitted text. */
export function textMaterial(submission: Submission, identify: IdentifyLanguage): Material {
  const text = submission.text ?? '';
  return {
    mediaType: submission.mediaType,
    text,
    reason: null,
    title: null,
    language: identify(text),
    url: null,
    page: null,
  };
}

/** The material of a page that could not be read: its address can still be judged. */
export function withoutText(submission: Submission, reason: Reason): Material {
  return {
    mediaType: submission.mediaType,
    text: null,
    reason,
    title: null,
    language: 'und',
    url: submission.url,
    page: null,
  };
}

/** The material of a fetched page; a text beyond the limit is cut there, one below it counts as no text. */
export function pageMaterial(
  submission: Submission,
  page: FetchedPage,
  identify: IdentifyLanguage,
): Material {
  const { text: whole, ...facts } = page;
  const text = firstCodePoints(storableText(whole), TEXT_LENGTH.max);
  if (codePointLength(text.trim()) < TEXT_LENGTH.min) {
    const empty = withoutText(submission, { code: 'no_article_text', values: {} });
    return { ...empty, title: page.title, page: facts };
  }
  return {
    mediaType: submission.mediaType,
    text,
    reason: null,
    title: page.title,
    language: identify(text),
    url: page.url,
    page: facts,
  };
}

/** Makes the material of an address by the web service. */
export async function gather(
  submission: Submission,
  fetchPage: FetchPage,
  identify: IdentifyLanguage,
  run: { signal: AbortSignal; correlationId: string },
): Promise<MaterialCheckpoint> {
  const outcome = await fetchPage(submission.url ?? '', run);
  if ('page' in outcome)
    return { step: 'material', material: pageMaterial(submission, outcome.page, identify), degraded: [] };
  if ('refused' in outcome)
    return { step: 'material', material: withoutText(submission, outcome.refused), degraded: [] };
  const material = withoutText(submission, { code: 'web_service_lost', values: {} });
  return { step: 'material', material, degraded: [outcome.lost] };
}
