import { createClient } from '../../../foundation/client.ts';
import { isOff } from '../../../foundation/settings.ts';
import { brain } from '../../brain/contract.ts';
import { domainCheck } from '../../domain-check/contract.ts';
import { embeddings } from '../../embeddings/contract.ts';
import { extractors } from '../../extractors/contract.ts';
import { forensic } from '../../forensic/contract.ts';
import { web } from '../../web/contract.ts';
import type { AnalysisSettings } from '../settings.ts';
import { visionClient as openVision } from './vision.ts';

/** Longest wait for a dependency in milliseconds: less than the step that calls has, so that the loss has its name. */
const CALL_LIMIT_MS = {
  web: 19_000,
  domain_check: 9_000,
  brain: 19_000,
  embeddings: 5_000,
  forensic: 58_000,
  extractors: 30_000,
};

/** The clients of what is analysed; undefined for a service that is switched off. */
export function clientsOf(settings: AnalysisSettings) {
  const { WEB_URL, WEB_API_TOKEN, DOMAIN_CHECK_URL, FORENSIC_URL, EXTRACTORS_URL } = settings;
  return {
    webClient: isOff(WEB_URL)
      ? undefined
      : createClient(web, { name: 'web', url: WEB_URL, token: WEB_API_TOKEN, timeoutMs: CALL_LIMIT_MS.web }),
    domainClient: isOff(DOMAIN_CHECK_URL)
      ? undefined
      : createClient(domainCheck, {
          name: 'domain_check',
          url: DOMAIN_CHECK_URL,
          timeoutMs: CALL_LIMIT_MS.domain_check,
        }),
    forensicClient: isOff(FORENSIC_URL)
      ? undefined
      : createClient(forensic, { name: 'forensic', url: FORENSIC_URL, timeoutMs: CALL_LIMIT_MS.forensic }),
    extractorsClient: isOff(EXTRACTORS_URL)
      ? undefined
      : createClient(extractors, {
          name: 'extractors',
          url: EXTRACTORS_URL,
          timeoutMs: CALL_LIMIT_MS.extractors,
        }),
    visionClient:
      settings.VISION_URL === undefined || isOff(settings.VISION_URL)
        ? undefined
        : openVision(settings.VISION_URL),
    ...verificationClientsOf(settings),
  };
}

/** The clients by which claims are checked; a client without an address loses every call at once. */
function verificationClientsOf(settings: AnalysisSettings) {
  const { BRAIN_URL, BRAIN_API_TOKEN, EMBEDDINGS_URL, EMBEDDINGS_API_TOKEN } = settings;
  return {
    brainClient: isOff(BRAIN_URL)
      ? undefined
      : createClient(brain, {
          name: 'brain',
          url: BRAIN_URL,
          token: BRAIN_API_TOKEN,
          timeoutMs: CALL_LIMIT_MS.brain,
        }),
    embeddingsClient: createClient(embeddings, {
      name: 'embeddings',
      url: isOff(EMBEDDINGS_URL) ? undefined : EMBEDDINGS_URL,
      token: EMBEDDINGS_API_TOKEN,
      timeoutMs: CALL_LIMIT_MS.embeddings,
    }),
  };
}
