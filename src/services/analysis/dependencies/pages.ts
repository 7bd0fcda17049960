import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Loss, LossReason } from '../../../foundation/client.ts';
import type { FailedPage, FetchAnswer, FetchedPage, web } from '../../web/contract.ts';
import type { Reason } from '../reasons.ts';
import { TEXT_LENGTH } from '../resources/analyze-request.ts';
import type { PageFacts } from '../session/material.ts';
import { type CallContext, callerShare } from './caller-share.ts';

/** The part of the web service that the analysis calls. */
export type WebClient = Pick<Client<typeof web>, 'fetch'>;

/** A page as the web service brought it. */
export interface PageContent extends PageFacts {
  readonly text: string;
}

/** Result of fetching an address: the page, the reason why there is none, or `lost` when the call failed. */
export type PageOutcome =
  | { readonly page: PageContent }
  | { readonly refused: Reason }
  | { readonly lost: LossReason };

/** Fetches a page. A failure of the service is an outcome, never an exception. */
export type FetchPage = (url: string, run: CallContext) => Promise<PageOutcome>;

/** Time for one page in seconds; the step itself ends a little later. */
const PAGE_SECONDS = 18;
/** Twice the longest text that is analysed, which counts characters: some take two units. */
const LONGEST_TEXT = 2 * TEXT_LENGTH.max;
/** Attempts of a call that exceeds the rate limit, and the pause between them in milliseconds. */
const RETRIES = { tries: 4, waitMs: 1_500 };

/** The notes of a page about itself that are set. */
function flagsOf(page: FetchedPage): string[] {
  const flags = Object.entries(page.metadata?.flags ?? {}).filter(([, set]) => set);
  const disclosed = (page.metadata?.ai_disclosures.length ?? 0) > 0;
  return [...flags.map(([name]) => name), ...(disclosed ? ['ai_disclosure'] : [])];
}

function toPage(page: FetchedPage): PageContent {
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

function refusalReason(failed: FailedPage | undefined): Reason {
  if (failed === undefined) return { code: 'page_unreadable', values: {} };
  const { error, status_code: status } = failed;
  if (error !== 'http_status') return { code: `page_${error}`, values: {} };
  return status === null
    ? { code: 'page_unreadable', values: {} }
    : { code: 'page_http_status', values: { status } };
}

/** Calls the service; a call that exceeds the rate limit of the user is repeated after a pause. */
async function fetchWithRetries(
  client: WebClient,
  url: string,
  { signal, correlationId, account }: CallContext,
): Promise<FetchAnswer | LossReason> {
  const body = {
    urls: [url],
    timeout_seconds: PAGE_SECONDS,
    min_text_length: TEXT_LENGTH.min,
    max_text_length: LONGEST_TEXT,
  };
  const headers = callerShare(account);
  for (let tries = 1; ; tries++) {
    const losses: Loss[] = [];
    const lost = (loss: Loss) => losses.push(loss);
    const answer = await client.fetch({ headers, body }, { signal, correlationId, lost });
    if (answer !== undefined) return answer;
    const reason = losses[0]?.reason ?? 'unavailable';
    if (reason !== 'rate_limited' || tries === RETRIES.tries || signal.aborted) return reason;
    // An abort ends the pause; the next call then ends at once.
    await sleep(RETRIES.waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Reads pages by the web service; without the service no page can be read, and the reason says so. */
export function createPageFetcher(client: WebClient | undefined): FetchPage {
  return async (url, run) => {
    if (client === undefined) return { refused: { code: 'web_service_off', values: {} } };
    const answer = await fetchWithRetries(client, url, run);
    if (typeof answer === 'string') return { lost: answer };
    const page = answer.pages[0];
    return page === undefined ? { refused: refusalReason(answer.failed_urls[0]) } : { page: toPage(page) };
  };
}
