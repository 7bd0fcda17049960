import type { Call, Handlers } from '../../../foundation/service.ts';
import { LOCAL_OPERATOR } from '../authenticate.ts';
import {
  type DocumentEntry,
  type EvidenceEntry,
  type evidenceIndexOperations,
  LONGEST_DOCUMENT,
  type StoredEntries,
} from '../contract/evidence-index.ts';
import type { FetchedPage, FetchRequest } from '../contract.ts';
import { errors } from '../errors.ts';
import type { EvidenceIndex } from '../evidence-index/evidence-index.ts';
import type { IndexAccess } from '../evidence-index/open-index.ts';
import { type PageReader, readAll } from '../fetch/pages.ts';
import { shareOf } from '../request-limiter.ts';

/** How pages of an import are fetched. */
const PAGE_REQUEST: Omit<FetchRequest, 'urls'> = {
  extract_text: true,
  include_html: false,
  extract_metadata: true,
  auto_fallback: true,
  method: 'auto',
  timeout_seconds: 30,
  min_text_length: 200,
  parallel_fetches: 5,
  max_text_length: LONGEST_DOCUMENT,
};
const LONGEST_TITLE = 1000;
const LONGEST_PUBLISHER = 300;
const RETRY = { 'Retry-After': '5' };

function documentOf(key: string, page: FetchedPage): DocumentEntry | string {
  const text = page.text?.trim() ?? '';
  if (text === '') return 'no text was found on the page';
  const { metadata } = page;
  return {
    kind: 'document',
    key,
    url: page.final_url,
    title: (page.title ?? page.final_url).slice(0, LONGEST_TITLE),
    publisher: metadata?.publisher?.slice(0, LONGEST_PUBLISHER) ?? null,
    language: /^[a-z]{2}$/.test(metadata?.language ?? '') ? (metadata?.language ?? null) : null,
    published_at: metadata?.published_at ?? null,
    text,
  };
}

type Failed = StoredEntries['failed'];

/** Entries with the pages among them fetched; those without text are reported with the reason. */
async function fetchPages(reader: PageReader, entries: readonly EvidenceEntry[], { signal, caller }: Call) {
  const pages = entries.filter((entry) => entry.kind === 'page');
  const urls = pages.map(({ url }) => url);
  const outcomes =
    urls.length === 0
      ? []
      : await readAll(reader, { ...PAGE_REQUEST, urls }, signal, shareOf(caller, undefined).key);
  const failed: Failed = [];
  const fetched = outcomes.flatMap((outcome, index): DocumentEntry[] => {
    const key = pages[index]?.key ?? '';
    const document = 'page' in outcome ? documentOf(key, outcome.page) : outcome.failed.message;
    if (typeof document !== 'string') return [document];
    failed.push({ key, reason: document });
    return [];
  });
  return { entries: [...entries.filter((entry) => entry.kind !== 'page'), ...fetched], failed };
}

const operatorOf = (call: Call) => call.caller?.subject ?? '';

/** Handlers of import, list and removal. */
export function evidenceIndexRoutes(
  index: IndexAccess,
  reader: PageReader,
): Handlers<typeof evidenceIndexOperations> {
  const opened = (): EvidenceIndex => {
    const current = index.current();
    if (current === undefined)
      throw errors.service_unavailable({ message: 'The evidence index is not open.', headers: RETRY });
    return current;
  };
  return {
    importEvidence: async ({ body }, call) => {
      const current = opened();
      const { entries, failed } = await fetchPages(reader, body.entries, call);
      const origin = { operator: operatorOf(call), name: body.origin };
      const counts =
        entries.length === 0 ? { added: 0, changed: 0, unchanged: 0 } : await current.store(origin, entries);
      return { ...counts, failed };
    },
    listEvidence: async () => {
      const current = opened();
      return { origins: await current.list(), statistics: await current.statistics() };
    },
    removeEvidence: async ({ body }, call) => {
      const name = operatorOf(call);
      // Everybody removes what is his own; who sits at the machine could delete the database as well.
      const operator = name === LOCAL_OPERATOR ? undefined : name;
      const removed = await opened().remove({ operator, ...body });
      return { removed_documents: removed.documents, removed_claims: removed.claims };
    },
  };
}
