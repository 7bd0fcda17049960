import type { Language } from '../../../foundation/localized-text.ts';
import { clockTime } from '../resources/clock-time.ts';
import type { RecordingSeenBefore, SharedFilm } from '../resources/recording-seen-before.ts';
import { formatDate, formatPercent } from './format.ts';

const WORDS = {
  en: {
    byYou: 'You analysed it before, on',
    byPerson: 'A person decided on it on',
    sameFile: 'the same file',
    shared: (times: string, share: string, other: string) =>
      `a near copy: ${times} of this video, ${share} of it and ${other} of the other`,
  },
  ro: {
    byYou: 'Ați mai analizat-o la',
    byPerson: 'O persoană s-a pronunțat asupra ei la',
    sameFile: 'același fișier',
    shared: (times: string, share: string, other: string) =>
      `o copie apropiată: ${times} din acest videoclip, adică ${share} din el și ${other} din celălalt`,
  },
} as const;

/** Most matching stretches that are listed. */
const MOST_STRETCHES = 5;

function likenessOf(shared: SharedFilm | null, language: Language): string {
  const words = WORDS[language];
  if (shared === null) return words.sameFile;
  const times = shared.stretches
    .slice(0, MOST_STRETCHES)
    .map(({ start_s: from, end_s: to }) => `${clockTime(from)}–${clockTime(to)}`);
  const more = shared.stretches.length > MOST_STRETCHES ? ', …' : '';
  const { share, share_of_other: other } = shared;
  return words.shared(
    times.join(', ') + more,
    formatPercent(share, language),
    formatPercent(other, language),
  );
}

/** A line about an earlier session on the same recording, with the claims that a person decided. */
export interface SeenBeforeLine {
  readonly text: string;
  readonly claims: readonly string[];
}

/** The lines about earlier sessions on the same recording. */
export function seenBeforeLines(earlier: RecordingSeenBefore | null, language: Language): SeenBeforeLine[] {
  if (earlier === null) return [];
  const words = WORDS[language];
  return [
    ...earlier.sessions.map(({ created_at: at, session_id: id, shared }) => ({
      text: `${words.byYou} ${formatDate(at, language)}: ${likenessOf(shared, language)} (${id})`,
      claims: [],
    })),
    ...earlier.fact_checks.map(({ decided_at: at, shared, claims }) => ({
      text: `${words.byPerson} ${formatDate(at, language)}: ${likenessOf(shared, language)}`,
      claims: claims.map((claim) => `${claim.text}: ${claim[`explanation_${language}`]}`),
    })),
  ];
}
