import type { TextEncoder } from '../evidence-index/encode.ts';
import type { PageReader } from '../fetch/pages.ts';
import type { WebSearch } from '../search/search.ts';
import type { Credibility } from './credibility.ts';
import type { Rerank } from './reranker.ts';
import type { StanceJudge } from './stance.ts';

/** What gathering works with. */
export interface GatherDependencies {
  readonly search: WebSearch;
  readonly reader: PageReader;
  readonly encoder: TextEncoder;
  readonly credibility: Credibility;
  readonly stance: StanceJudge;
  /** undefined: sources are ranked by our own score alone. */
  readonly rerank: Rerank | undefined;
}
