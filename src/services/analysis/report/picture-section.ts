import { type Html, html } from '../../../foundation/html.ts';
import type { AiTamperedResult, LeadingPicture } from '../resources/ai-tampered-result.ts';
import { detectorName } from '../resources/detector-names.ts';
import type { DetectorScore, ImageAnalysis, MadePicture } from '../resources/image-analysis.ts';
import { signerWords } from '../resources/signer-words.ts';
import { formatDate } from './format.ts';
import { factList, section } from './html-elements.ts';
import { aiVerdictName } from './names.ts';
import type { ReportView } from './view.ts';

/** The pictures that were examined in a session: its own, or those of its page. */
export function examinedPictures(found: AiTamperedResult | null): ImageAnalysis[] {
  const ofPage = (found?.leading_pictures ?? []).map(({ finding }) => finding?.image_analysis ?? null);
  return [found?.image_analysis ?? null, ...ofPage].filter((picture) => picture !== null);
}

/** The pictures of an examination that a report shows: the small copy, and the maps of what was found, else the one for people. */
export function shownPictures({ preview, detectors }: ImageAnalysis): MadePicture[] {
  const telling = detectors.filter(({ found }) => found === true);
  const chosen =
    telling.length > 0 ? telling : detectors.filter(({ detector }) => detector === 'error_level');
  return [preview, ...chosen.map(({ picture }) => picture)].filter((picture) => picture !== null);
}

/** A picture with its title, when its bytes are there. */
function figure({ pictures }: ReportView, picture: MadePicture | null, title: string): Html | null {
  const address = picture === null ? undefined : pictures?.get(picture.media_id);
  if (picture === null || address === undefined) return null;
  return html`<figure><img src="${address}" width="${picture.width}" height="${picture.height}" alt="${title}"><figcaption>${title}</figcaption></figure>
`;
}

function detectorRow({ language, labels }: ReportView, score: DetectorScore): Html {
  const statement = !score.applicable
    ? `${labels.pictures.cannotSay}: ${score.reason?.[language] ?? ''}`
    : score.found === null
      ? labels.pictures.drawnForPeople
      : score.found
        ? (score.explanation?.[language] ?? labels.pictures.found)
        : labels.pictures.nothingFound;
  return html`<li class="card"><h3>${detectorName(score.detector, language)}</h3><p>${statement}</p>
<p class="aside">${labels.pictures.cannotSee}: ${score.cannot_see[language]}</p></li>
`;
}

function historyOf({ labels, language }: ReportView, { provenance }: ImageAnalysis): Html {
  if (provenance === null) return html`<p>${labels.pictures.historyUnknown}</p>`;
  if (provenance.chain.length === 0)
    return html`<p>${provenance.state === 'remote' ? labels.pictures.historyRemote : labels.pictures.historyAbsent}</p>`;
  const steps = provenance.chain.map(
    ({ title, made_by, signer, signed_at, actions }) =>
      html`<li>${title ?? '–'}: ${[made_by, signer, signed_at === null ? null : formatDate(signed_at, language)].filter((part) => part !== null).join(', ')}
${actions.length === 0 ? null : html`<p class="aside">${actions.map(({ action, digital_source_type: type }) => (type === null ? action : `${action} (${type})`)).join(', ')}</p>`}</li>
`,
  );
  const state = provenance.state === 'valid' ? labels.pictures.historyHolds : labels.pictures.historyFails;
  return html`<p>${state}</p><p>${signerWords(provenance.trusted, language)}</p><ol>${steps}</ol>`;
}

function seenLines({ labels, language }: ReportView, { seen_before: earlier }: ImageAnalysis): Html[] {
  if (earlier === null) return [];
  const own = earlier.sessions.map(
    ({ created_at, session_id }) =>
      html`<li>${labels.pictures.seenByYou} ${formatDate(created_at, language)} (${session_id})</li>`,
  );
  const others = earlier.fact_checks.map(
    ({ decided_at, claims }) =>
      html`<li>${labels.pictures.decidedByPerson} ${formatDate(decided_at, language)}${claims.map((claim) => html`<p>${claim.text}: ${claim[`explanation_${language}`]}</p>`)}</li>`,
  );
  return own.length + others.length === 0 ? [] : [html`<ul>${[...own, ...others]}</ul>`];
}

function visionLines({ labels }: ReportView, { vision }: ImageAnalysis): Html | null {
  if (vision === null) return null;
  return html`<h3>${labels.pictures.vision} (${vision.model})</h3>
<p lang="en">${vision.description}</p><p lang="en">${vision.reasons.join(' ')}</p><p class="aside">${labels.pictures.visionNote}</p>
`;
}

/** The picture, what each detector saw of it, its signed history, and where it was seen before. */
export function pictureSection(view: ReportView): Html | null {
  const picture = view.session.ai_tampered?.image_analysis ?? null;
  if (picture === null) return null;
  const { labels, language } = view;
  const maps = picture.detectors.map((score) =>
    figure(view, score.picture, detectorName(score.detector, language)),
  );
  return section(view, 'picture', labels.pictures.title, [
    factList([
      [labels.pictures.kind, picture.mime_type],
      [labels.pictures.pixels, `${picture.width} × ${picture.height}`],
      ['SHA-256', picture.sha256],
      ['PDQ', picture.hash.value],
    ]),
    html`<div class="figures">${figure(view, picture.preview, labels.pictures.title)}${maps}</div>`,
    html`<ul class="cards">${picture.detectors.map((score) => detectorRow(view, score))}</ul>`,
    html`<h3>${labels.pictures.history}</h3>`,
    historyOf(view, picture),
    visionLines(view, picture),
    ...seenLines(view, picture),
  ]);
}

function leadingCard(
  view: ReportView,
  { url, finding, not_looked_at, recognised_text }: LeadingPicture,
): Html {
  const { labels, language } = view;
  const picture = finding?.image_analysis ?? null;
  if (finding === null || picture === null) {
    const reason = language === 'ro' ? not_looked_at?.reason_ro : not_looked_at?.reason;
    return html`<li class="card"><p>${url}</p><p>${reason ?? ''}</p></li>
`;
  }
  const telling = picture.detectors.filter(({ found }) => found === true);
  return html`<li class="card"><p>${url}</p>
<div class="figures">${figure(view, picture.preview, labels.pictures.title)}${telling.map((score) => figure(view, score.picture, detectorName(score.detector, language)))}</div>
${factList([
  [labels.verdict, aiVerdictName(finding.verdict, language)],
  [labels.disclosure, finding.disclosure_text],
  [labels.noProbability, language === 'ro' ? finding.reason_ro : finding.reason],
  [labels.pictures.words, recognised_text],
  ['PDQ', picture.hash.value],
])}
<ul class="cards">${telling.map((score) => detectorRow(view, score))}</ul>
${seenLines(view, picture)}</li>
`;
}

/** The leading pictures of a page, each with what was found on it or why it was not looked at. */
export function leadingPicturesSection(view: ReportView): Html | null {
  const pictures = view.session.ai_tampered?.leading_pictures ?? [];
  if (pictures.length === 0) return null;
  const { labels } = view;
  return section(view, 'pictures', labels.pictures.leading, [
    html`<p>${labels.pictures.leadingIntro}</p>`,
    html`<ol class="cards">${pictures.map((picture) => leadingCard(view, picture))}</ol>`,
  ]);
}
