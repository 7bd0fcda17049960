import { type Html, html } from '../../../foundation/html.ts';
import { clockTime, timeFormatter } from '../resources/clock-time.ts';
import { detectorName } from '../resources/detector-names.ts';
import type { MadePicture } from '../resources/image-analysis.ts';
import type { Recording } from '../resources/recording.ts';
import type { RecordingDetectorScore, RecordingTrack } from '../resources/recording-analysis.ts';
import { factList, languageAttribute, momentLink, moments, openRecording, section } from './html-elements.ts';
import { engineName, partName, RECORDING_LABELS } from './recording-labels.ts';
import { seenBeforeLines } from './seen-before.ts';
import type { ReportView } from './view.ts';

/** The pictures of a recording that its report shows. */
export function recordingPictures({ waveform, spectrogram, frames }: Recording): MadePicture[] {
  return [waveform, spectrogram, ...frames.map(({ picture }) => picture)].filter(
    (picture) => picture !== null,
  );
}

/** A picture with its title, when its bytes are there. */
function figure(
  { pictures }: ReportView,
  picture: MadePicture | null,
  title: string,
  { kind, caption }: { readonly kind?: 'track'; readonly caption?: Html } = {},
): Html | null {
  const address = picture === null ? undefined : pictures?.get(picture.media_id);
  if (picture === null || address === undefined) return null;
  return html`<figure${kind === undefined ? null : html` class="${kind}"`}><img src="${address}" width="${picture.width}" height="${picture.height}" alt="${title}"><figcaption>${caption ?? title}</figcaption></figure>
`;
}

/** The length of the recording in seconds: that of its transcription, or without one that of its examination. */
const lengthOf = ({ recording, ai_tampered: ai }: ReportView['session']): number | null =>
  recording?.duration_s ?? ai?.recording_analysis?.duration_s ?? null;

function facts(view: ReportView, { voiced_s: voiced, speech_engine: engine }: Recording) {
  const { language } = view;
  const labels = RECORDING_LABELS[language];
  const watched = view.session.ai_tampered?.recording_analysis?.video ?? null;
  const hash = view.session.ai_tampered?.recording_analysis?.sha256;
  const length = lengthOf(view.session);
  const timeOf = timeFormatter(length, language);
  return factList([
    [labels.length, length === null ? null : timeOf(length)],
    [labels.voices, voiced === null ? null : timeOf(voiced)],
    [labels.engine, engineName(engine, language)],
    [labels.fileHash, hash === undefined ? null : html`<code>${hash}</code>`],
    [labels.watched, watched === null || watched.verdict === null ? null : labels.verdicts[watched.verdict]],
  ]);
}

/** The frames on their time line, those that speak for something named. */
function timeLine(view: ReportView, { frames }: Recording): Html | null {
  const labels = RECORDING_LABELS[view.language];
  const suspects = view.session.ai_tampered?.recording_analysis?.video?.frames ?? [];
  const timeOf = timeFormatter(lengthOf(view.session), view.language);
  const figures = frames.map(({ index, timestamp_s: at, picture }) => {
    const isTold = suspects.some((one) => one.index === index);
    const remark = isTold ? `: ${labels.suspicious}` : '';
    const caption = html`${labels.frameAt} ${momentLink(view, at, timeOf(at))}${remark}`;
    return figure(view, picture, `${labels.frameAt} ${timeOf(at)}${remark}`, { caption });
  });
  const shown = figures.filter((one) => one !== null);
  return shown.length === 0
    ? null
    : html`<h3>${labels.frames}</h3><div class="figures frames">${shown}</div>`;
}

function transcriptOf(view: ReportView, { transcript }: Recording): Html | null {
  if (transcript.length === 0) return null;
  const labels = RECORDING_LABELS[view.language];
  const timeOf = timeFormatter(lengthOf(view.session), view.language);
  const rows = transcript.map(({ start_s: at, kind, text, judged }) => {
    const where = kind === 'screen' ? ` (${labels.onScreen})` : judged ? '' : ` (${labels.notJudged})`;
    return html`<li><span class="card-facts">${momentLink(view, at, timeOf(at))}${where}</span> <span${languageAttribute(view)}>${text}</span></li>`;
  });
  return html`<h3>${labels.transcript}</h3><ul class="plain">${rows}</ul>`;
}

function detectorCard(view: ReportView, score: RecordingDetectorScore): Html {
  const { language, labels } = view;
  const words = labels.pictures;
  const statement = !score.applicable
    ? `${RECORDING_LABELS[language].cannotSay}: ${score.reason?.[language] ?? ''}`
    : score.found === null
      ? [score.explanation?.[language], RECORDING_LABELS[language].measured].filter(Boolean).join(' ')
      : score.found
        ? (score.explanation?.[language] ?? words.found)
        : words.nothingFound;
  const times = moments(
    view,
    score.stretches.map(({ start_s: from, end_s: to }) => [`${clockTime(from)}–${clockTime(to)}`, from]),
  );
  return html`<li class="card"><h4>${detectorName(score.detector, language)}</h4><p>${statement}${times.length === 0 ? null : html` (${times})`}</p>
${score.cannot_see === null ? null : html`<p class="aside">${words.cannotSee}: ${score.cannot_see[language]}</p>`}</li>
`;
}

function trackPart(view: ReportView, { track, detectors }: RecordingTrack): Html | null {
  if (detectors.length === 0) return null;
  const title = RECORDING_LABELS[view.language].tracks[track];
  return html`<h3>${title}</h3><ol class="cards">${detectors.map((score) => detectorCard(view, score))}</ol>`;
}

function framesPart(view: ReportView): Html | null {
  const { session, language } = view;
  const video = session.ai_tampered?.recording_analysis?.video ?? null;
  if (video === null || (video.summary === null && video.chunks.length === 0)) return null;
  const labels = RECORDING_LABELS[language];
  const chunks = video.chunks.map(
    ({ start_s: from, end_s: to, description }) =>
      html`<li><span class="card-facts">${momentLink(view, from, `${clockTime(from)}–${clockTime(to)}`)}</span> <span lang="en">${description}</span></li>`,
  );
  return html`<h3>${labels.summary}</h3>${video.summary === null ? null : html`<p lang="en">${video.summary}</p>`}
<ul class="plain">${chunks}</ul><p class="aside">${labels.summaryNote}</p>`;
}

function seenBefore({ session, language }: ReportView): Html | null {
  const lines = seenBeforeLines(session.ai_tampered?.recording_analysis?.seen_before ?? null, language);
  if (lines.length === 0) return null;
  const rows = lines.map(
    ({ text, claims }) => html`<li>${text}${claims.map((claim) => html`<p>${claim}</p>`)}</li>`,
  );
  return html`<h3>${RECORDING_LABELS[language].seenBefore}</h3><ul class="plain">${rows}</ul>`;
}

function leftOut({ session, language }: ReportView, recording: Recording): Html | null {
  const all = [...recording.left_out, ...(session.ai_tampered?.recording_analysis?.video?.left_out ?? [])];
  if (all.length === 0) return null;
  const rows = all.map(
    ({ part, reason, reason_ro }) =>
      html`<li><strong>${partName(part, language)}.</strong> ${language === 'ro' ? reason_ro : reason}</li>`,
  );
  return html`<h3>${RECORDING_LABELS[language].leftOut}</h3><ul class="plain">${rows}</ul>`;
}

/** What is known of a recording: its sound and frames over time, what is said when, and what was found. */
export function recordingSection(view: ReportView): Html | null {
  const { session, language } = view;
  const { recording } = session;
  if (recording === null) return null;
  const labels = RECORDING_LABELS[language];
  return section(view, 'recording', labels.title, [
    facts(view, recording),
    html`<p class="aside">${openRecording(view) === null ? labels.timesCount : labels.timesLink}</p>`,
    figure(view, recording.waveform, labels.waveform, { kind: 'track' }),
    figure(view, recording.spectrogram, labels.spectrogram, { kind: 'track' }),
    timeLine(view, recording),
    transcriptOf(view, recording),
    ...(session.ai_tampered?.recording_analysis?.tracks ?? []).map((track) => trackPart(view, track)),
    framesPart(view),
    seenBefore(view),
    leftOut(view, recording),
  ]);
}
