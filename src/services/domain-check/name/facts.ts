import type { Site } from '../site.ts';
import { mixesScripts } from './confusables.ts';
import { nameRules } from './rules.ts';
import type { Imitation, WellKnownNames } from './well-known.ts';

/** What the name alone shows. */
export interface NameFacts {
  wellKnown: boolean;
  imitation: Imitation | undefined;
  mixedScripts: boolean;
  /** Written in letters outside ASCII. */
  international: boolean;
  hyphens: number;
  longestDigitRun: number;
  length: number;
  cheapSuffix: boolean;
  restrictedSuffix: boolean;
}

/** Reads the facts of a name. */
export function nameFacts(site: Site, wellKnown: WellKnownNames): NameFacts {
  const { label } = site;
  return {
    wellKnown: wellKnown.has(site.domain),
    imitation: wellKnown.imitation(site),
    mixedScripts: mixesScripts(site.labelUnicode),
    international: site.domainUnicode !== site.domain,
    hyphens: label.startsWith('xn--') ? 0 : (label.match(/-/g)?.length ?? 0),
    longestDigitRun: Math.max(0, ...(label.match(/\d+/g) ?? []).map((run) => run.length)),
    length: site.labelUnicode.length,
    cheapSuffix: nameRules.cheap_suffixes.has(site.suffix),
    restrictedSuffix:
      nameRules.restricted_suffixes.has(site.suffix) || nameRules.restricted_names.has(site.domain),
  };
}
