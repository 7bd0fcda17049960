import type { Language } from '../foundation/localized-text.ts';
import type { LeadingPicture } from '../services/analysis/resources/ai-tampered-result.ts';
import { detectorName } from '../services/analysis/resources/detector-names.ts';
import type { DetectorScore, ImageAnalysis } from '../services/analysis/resources/image-analysis.ts';
import { signerWords } from '../services/analysis/resources/signer-words.ts';

const WORDS = {
  en: {
    found: 'found',
    nothing: 'nothing found',
    silent: 'cannot say',
    shown: 'drawn for people',
    at: 'at',
    seen: (count: number) =>
      `You analysed this picture before, or a near copy: ${count} ${count === 1 ? 'time' : 'times'}.`,
    checked: (day: string) => `A person decided on this picture on ${day}.`,
    signed: (signer: string, state: string) => `Signed history (C2PA): ${signer}, ${state}`,
    model: (name: string, said: string) => `The vision model ${name} sees: ${said}`,
    shows: (what: string) => `Recognised: ${what}`,
    faces: (count: number) => (count === 1 ? '1 face' : `${count} faces`),
    declared: (by: string) => `says of itself: ${by}`,
    unremarkable: 'looked at, nothing decisive found',
  },
  ro: {
    found: 'găsit',
    nothing: 'nimic găsit',
    silent: 'nu poate spune',
    shown: 'desenat pentru oameni',
    at: 'la',
    seen: (count: number) =>
      count === 1
        ? 'Ați mai analizat o dată această imagine sau o copie apropiată.'
        : `Ați mai analizat de ${count} ori această imagine sau o copie apropiată.`,
    checked: (day: string) => `O persoană s-a pronunțat asupra acestei imagini la ${day}.`,
    signed: (signer: string, state: string) => `Istoric semnat (C2PA): ${signer}, ${state}`,
    model: (name: string, said: string) => `Modelul de imagini ${name} vede (în engleză): ${said}`,
    shows: (what: string) => `S-au recunoscut: ${what}`,
    faces: (count: number) => (count === 1 ? 'un chip' : `${count} chipuri`),
    declared: (by: string) => `declară despre sine: ${by}`,
    unremarkable: 'examinată, nu s-a găsit nimic hotărâtor',
  },
} as const;

const STATES: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  valid: { en: 'its checks hold', ro: 'verificările sunt în regulă' },
  invalid: { en: 'its checks do not all hold', ro: 'nu toate verificările sunt în regulă' },
  remote: { en: 'kept elsewhere, not fetched', ro: 'păstrat în altă parte, nu a fost preluat' },
};

/** Places that a line names, the largest first: a copied part stands in at least two. */
const MOST_PLACES = 3;

function placesOf({ regions }: DetectorScore, language: Language): string {
  if (regions.length === 0) return '';
  const percent = (share: number) => `${Math.round(100 * share)}%`;
  const places = regions
    .slice(0, MOST_PLACES)
    .map(
      ({ x, y, width, height }) => `${percent(x)}, ${percent(y)} (${percent(width)} × ${percent(height)})`,
    );
  return ` ${WORDS[language].at} ${places.join('; ')}`;
}

function resultOf(score: DetectorScore, language: Language): string {
  const words = WORDS[language];
  if (!score.applicable) return `${words.silent}: ${score.reason?.[language] ?? ''}`;
  if (score.found === null) return words.shown;
  return score.found ? `${words.found}${placesOf(score, language)}` : words.nothing;
}

/** What was recognised in it; no line where it was not examined, or nothing was recognised. */
function shownLine({ shows }: ImageAnalysis, language: Language): string[] {
  if (shows === null || shows.faces + shows.objects.length === 0) return [];
  const names = [...new Set(shows.objects.map(({ name }) => name[language]))];
  return [
    WORDS[language].shows(
      [...(shows.faces > 0 ? [WORDS[language].faces(shows.faces)] : []), ...names].join(', '),
    ),
  ];
}

/** What is known of a picture, a line for each detector and each earlier look at it. */
export function pictureLines(picture: ImageAnalysis, language: Language): string[] {
  const words = WORDS[language];
  const { provenance, seen_before: seen } = picture;
  const kind = picture.mime_type.replace(/^image\//, '').toUpperCase();
  const signed =
    provenance === null || STATES[provenance.state] === undefined
      ? []
      : [
          words.signed(provenance.signer ?? '–', STATES[provenance.state]?.[language] ?? ''),
          ...(provenance.chain.length === 0 ? [] : [signerWords(provenance.trusted, language)]),
        ];
  return [
    `${kind}, ${picture.width} × ${picture.height}`,
    ...picture.detectors.map(
      (score) => `${detectorName(score.detector, language)}: ${resultOf(score, language)}`,
    ),
    ...signed,
    ...shownLine(picture, language),
    ...(picture.vision === null ? [] : [words.model(picture.vision.model, picture.vision.description)]),
    ...(seen === null || seen.sessions.length === 0 ? [] : [words.seen(seen.sessions.length)]),
    ...(seen?.fact_checks ?? []).map(({ decided_at: at }) => words.checked(at.slice(0, 10))),
  ];
}

/** What is known of one of the pictures of a page: its address, then what was found, or why it was not looked at. */
export function leadingPictureLines(
  { url, finding, not_looked_at: unseen }: LeadingPicture,
  language: Language,
): string[] {
  const words = WORDS[language];
  if (finding === null) return [url, `  ${(language === 'ro' ? unseen?.reason_ro : unseen?.reason) ?? ''}`];
  const { disclosure_text: declared, image_analysis: picture, indicators_detected: items } = finding;
  const seen = picture?.seen_before;
  const lines = [
    ...(declared === null ? [] : [words.declared(declared)]),
    ...[language === 'ro' ? finding.reason_ro : finding.reason].filter((reason) => reason !== null),
    ...items.map((item) => (language === 'ro' ? item.explanation_ro : item.explanation_en)),
    ...(seen == null || seen.sessions.length === 0 ? [] : [words.seen(seen.sessions.length)]),
    ...(seen?.fact_checks ?? []).map(({ decided_at: at }) => words.checked(at.slice(0, 10))),
  ];
  return [url, ...(lines.length === 0 ? [words.unremarkable] : lines).map((line) => `  ${line}`)];
}
