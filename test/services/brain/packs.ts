import type { BrainRequest, EvidencePack } from '../../../src/services/brain/resources.ts';
import { brainRequest } from '../../../src/services/brain/resources.ts';

/** Evidence of one text. */
export function packOf(claim: string, ...texts: string[]): EvidencePack {
  return {
    claim,
    queries: [claim],
    evidence: texts.map((text, index) => ({
      url: `https://source-${index}.example/page`,
      title: text,
      publisher: 'A publisher',
      snippet: text,
      relevance_score: 0.9,
      credibility_score: null,
      published_at: null,
      retrieved_at: '2026-01-02T03:04:05.000Z',
      full_text_hash: text,
      language: 'en',
      stance: null,
      passages: [],
      copies: [],
      fact_check: null,
      provenance: {
        extraction_method: 'http',
        fallback_chain: [],
        providers: ['local'],
        query: claim,
        origin: null,
      },
    })),
    evidence_stats: {
      input_items: texts.length,
      after_dedup: texts.length,
      output_items: texts.length,
      duplicates_removed: 0,
      tokens_used: 0,
    },
    stages: [
      { stage: 'search', success: true, items_processed: texts.length, items_failed: 0, duration_ms: 1 },
    ],
    total_urls_found: texts.length,
    total_pages_fetched: texts.length,
    total_evidence_items: texts.length,
    execution_time_ms: 1,
  };
}

/** A request with everything that it does not say filled in. */
export function requestOf(body: object): BrainRequest {
  return brainRequest.parse(body);
}
