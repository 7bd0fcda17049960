import type { Client, Loss, LossReason } from '../../../foundation/client.ts';
import type { FailedPage, FetchedPage as WebPage, web } from '../../web/contract.ts';
import type { Reason } from '../reasons.ts';
import { TEXT_LENGTH } from '../resources/analyze-request.ts';
import type { PageFacts } from '../session/material.ts';

/** The part of the web service that the analysis calls. */
export type WebClient = Pick<Client<typeof web>, 'fetch'>;

/** A page as the web service brought it. */
export interface FetchedPage extends PageFacts {
  readonly text: string;
}

/** What the web service made of an address: a page, a reason why there is none, or nothing because it was lost. */
export type PageOutcome =
  | { readonly page: FetchedPage }
  | { readonly refused: Reason }
  | { readonly lost: LossReason };

/** Fetches a page; never throws for what lies outside. */
export type FetchPage = (
  url: string,
  run: { signal: AbortSignal; correlationId: string },
) => Promise<PageOutcome>;

/** Time for one page in seconds; the step itself ends a little later. */
const PAGE_SECONDS = 18;

/** The notes of a page about itself that are set. */
function flagsOf(page: WebPage): string[] {
  const flags = Object.entries(page.metadata?.flags ?? {}).filter(([, set]) => set);
  const disclosed = (page.metadata?.ai_disclosures.length ?? 0) > 0;
  return [...flags.map(([name]) => name), ...(disclosed ? ['ai_disclosure'] : [])];
}

function toPage(page: WebPage): FetchedPage {
  return {
    url: page.final_url,
    text: page.text ?? '',
    title: page.title,
    publisher: page.metadata?.publisher ?? null,
    author: page.metadata?.author ?? null,
    published_at: page.metadata?.published_at ?? null,
    images: page.metadata?.images.map(({ url }) => url) ?? [],
    flags: flagsOf(page),
  };
}

function whyNot(failed: FailedPage | undefined): Reason {
  if (failed === undefined) return { code: 'page_unreadable', values: {} };
  const { error, status_code: status } = failed;
  if (error !== 'http_status') return { code: `page_${error}`, values: {} };
  return status === null
    ? { code: 'page_unreadable', values: {} }
    : { code: 'page_http_status', values: { status } };
}

/** Reads pages by the web service; without the service no page can be read, and the reason says so. */
export function createPageReader(client: WebClient | undefined): FetchPage {
  return async (url, run) => {
    if (client === undefined) return { refused: { code: 'web_service_off', values: {} } };
    const losses: Loss[] = [];
    const request = { urls: [url], timeout_seconds: PAGE_SECONDS, min_text_length: TEXT_LENGTH.min };
    const fetched = await client.fetch(
      { body: request },
      { signal: run.signal, correlationId: run.correlationId, lost: (loss) => losses.push(loss) },
    );
    if (fetched === undefined) {
      return { lost: losses[0]?.reason ?? 'unavailable' };
    }
    const page = fetched.pages[0];
    return page === undefined ? { refused: whyNot(fetched.failed_urls[0]) } : { page: toPage(page) };
  };
}
