import type { FetchErrorCode, FetchMethod } from '../contract.ts';

/** The answer of a host with a body to extract. */
export interface PageResponse {
  ok: true;
  finalUrl: string;
  status: number;
  /** The header, with its charset. */
  contentTypeHeader: string | undefined;
  /** By header and bytes. */
  mediaType: string;
  bytes: Uint8Array;
}

/** Why a method got no page. */
export interface FetchProblem {
  ok: false;
  error: FetchErrorCode;
  message: string;
  status: number | null;
}

/** How long a page may take, and on whose behalf it is got. */
export interface PageFetchOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Users take turns where few pages are got at once. */
  readonly share: string;
}

/** A way to get a page. Never throws. */
export interface Fetcher {
  readonly method: FetchMethod;
  fetch(url: string, options: PageFetchOptions): Promise<PageResponse | FetchProblem>;
}
