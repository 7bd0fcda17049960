import { storableText } from '../../../../foundation/database/storable.ts';
import type { PageContent } from '../../dependencies/pages.ts';
import { TEXT_LENGTH } from '../../resources/analyze-request.ts';
import type { Material } from '../../session/material.ts';
import { codePointLength } from '../intake.ts';
import type { Preparation } from './preparation.ts';

/** The first code points of a text, whole characters only. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The material with a page; a text beyond the limit is cut there, one below it counts as no text. */
function withPage(material: Material, { text: whole, ...page }: PageContent): Material {
  const text = firstCodePoints(storableText(whole), TEXT_LENGTH.max);
  const title = page.title === null ? null : storableText(page.title);
  const parts = { ...material.parts, page };
  if (codePointLength(text.trim()) < TEXT_LENGTH.min) {
    const missing = { ...material.missing, text: { code: 'no_article_text', values: {} } as const };
    return { ...material, title, parts, missing };
  }
  return {
    ...material,
    title,
    parts: { ...parts, source_address: { url: page.url }, text: { text, language: 'und' } },
  };
}

/** Fetches the page of the address by the web service. */
export const page: Preparation = {
  makes: ['page', 'text'],
  outside: {
    stage: 'page',
    timeoutMs: 20_000,
    loss: { dependency: 'web', effect: 'part_missing' },
    lost: { code: 'web_service_lost', values: {} },
    failed: { code: 'page_step_failed', values: {} },
  },
  run: async (material, { fetchPage }, run) => {
    const address = material.parts.source_address;
    if (address === undefined) return material;
    const outcome = await fetchPage(address.url, run);
    if ('page' in outcome) return withPage(material, outcome.page);
    if ('lost' in outcome) return outcome;
    const { refused } = outcome;
    return { ...material, missing: { ...material.missing, page: refused, text: refused } };
  },
};
