import type { LocalizedText } from '../../../../foundation/localized-text.ts';
import { topicCodesIn } from '../../engines/context/topic.ts';
import type { ClaimItem } from '../../resources/claims-result.ts';
import type { Outcomes } from '../../session/outcome.ts';
import { isDecidedStatus } from '../verdict/claim-statuses.ts';

/** A claim on a sensitive topic that was not decided: its topic, its words, and how readers can check it. */
export interface UncheckedClaim {
  subject: LocalizedText;
  quote: string;
  how: LocalizedText;
  lookup: Lookup;
}

/** What looking a claim up brought: evidence that did not suffice, nothing at all, or it was not looked up. */
export type Lookup = 'evidence' | 'nothing' | 'never';

/** What looking an undecided claim up brought; older records do not say of each claim whether it was searched for. */
export function lookupOf(
  claim: ClaimItem,
  { web_searches_made: searches }: { web_searches_made: number },
): Lookup {
  if (claim.evidence.length > 0 || claim.previous_fact_checks.length > 0) return 'evidence';
  return (claim.searched ?? searches > 0) ? 'nothing' : 'never';
}

/** Sensitive topics, on which an unchecked claim is always mentioned, with advice where to check it. */
const CHECKED_AT: Readonly<Record<string, Pick<UncheckedClaim, 'subject' | 'how'>>> = {
  public_health: {
    subject: { en: 'health', ro: 'sănătate' },
    how: {
      en: 'ask a doctor or look at the health authority before you act on it',
      ro: 'întrebați medicul sau consultați autoritatea sanitară înainte de a-i da urmare',
    },
  },
  elections: {
    subject: { en: 'elections', ro: 'alegeri' },
    how: {
      en: 'compare it with the electoral authority and with two news agencies',
      ro: 'comparați cu datele autorității electorale și cu două agenții de presă',
    },
  },
  war_security: {
    subject: { en: 'war or security', ro: 'război sau securitate' },
    how: {
      en: 'compare it with at least two news agencies',
      ro: 'comparați cu cel puțin două agenții de presă',
    },
  },
  disaster_emergency: {
    subject: { en: 'the emergency', ro: 'situația de urgență' },
    how: {
      en: 'follow the emergency services and two news agencies',
      ro: 'urmăriți anunțurile serviciilor de urgență și două agenții de presă',
    },
  },
  economy_banking: {
    subject: { en: 'money', ro: 'bani' },
    how: {
      en: 'compare it with the official figures, and ask the financial supervisor before you pay or invest',
      ro: 'comparați cu datele oficiale și întrebați autoritatea de supraveghere financiară înainte de a plăti sau de a investi',
    },
  },
};

const isOpen = ({ status, voice }: ClaimItem) =>
  !isDecidedStatus(status) && status !== 'opinion' && voice !== 'asked' && voice !== 'denied';

/** The most check-worthy undecided claim on a sensitive topic; `topic` is that of the whole text, for claims without one. */
export function uncheckedClaimOf(topic: unknown, claims: Outcomes['claims']): UncheckedClaim | null {
  if (claims.state !== 'ran') return null;
  const open = claims.block.claims_verified
    .filter(isOpen)
    .toSorted((one, two) => two.checkworthiness - one.checkworthiness);
  const named = open.map((claim) => ({
    claim,
    code: topicCodesIn(claim.text).find((code) => code in CHECKED_AT),
  }));
  const [first] = open;
  const best =
    named.find(({ code }) => code !== undefined) ?? (first && { claim: first, code: String(topic) });
  const known = CHECKED_AT[best?.code ?? ''];
  if (best === undefined || known === undefined) return null;
  return { ...known, quote: best.claim.span.quote, lookup: lookupOf(best.claim, claims.block) };
}
