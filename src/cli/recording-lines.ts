import type { Language } from '../foundation/localized-text.ts';
import { engineName, partName, RECORDING_LABELS } from '../services/analysis/report/recording-labels.ts';
import { seenBeforeLines } from '../services/analysis/report/seen-before.ts';
import type { AnalysisSession } from '../services/analysis/resources/analysis-session.ts';
import { clockTime, timeFormatter } from '../services/analysis/resources/clock-time.ts';
import { detectorName } from '../services/analysis/resources/detector-names.ts';
import type { RecordingDetectorScore } from '../services/analysis/resources/recording-analysis.ts';

const WORDS = {
  en: {
    found: 'found',
    nothing: 'nothing found',
    silent: 'cannot say',
    shown: 'measured for people',
    at: 'at',
  },
  ro: {
    found: 'găsit',
    nothing: 'nimic găsit',
    silent: 'nu poate spune',
    shown: 'măsurat pentru oameni',
    at: 'la',
  },
} as const;

function resultOf(score: RecordingDetectorScore, language: Language): string {
  const words = WORDS[language];
  if (!score.applicable) return `${words.silent}: ${score.reason?.[language] ?? ''}`;
  if (score.found === null) return score.explanation?.[language] ?? words.shown;
  const times = score.stretches.map(({ start_s: at }) => clockTime(at)).join(', ');
  return score.found ? `${words.found}${times === '' ? '' : ` ${words.at} ${times}`}` : words.nothing;
}

/** What is known of a recording: its length, what is said when, the frames that were looked at, and what each detector says. */
export function recordingLines(
  { recording, ai_tampered: ai }: Pick<AnalysisSession, 'recording' | 'ai_tampered'>,
  language: Language,
): string[] {
  if (recording === null) return [];
  const labels = RECORDING_LABELS[language];
  const { speech_engine: engine, transcript, frames, left_out: leftOut } = recording;
  const analysis = ai?.recording_analysis ?? null;
  const length = recording.duration_s ?? analysis?.duration_s ?? null;
  const video = analysis?.video ?? null;
  const watchedFrames = new Set(video?.frames.map(({ index }) => index));
  const timeOf = timeFormatter(length, language);
  const line = frames.map(
    ({ index, timestamp_s: at }) => `${timeOf(at)}${watchedFrames.has(index) ? '!' : ''}`,
  );
  const missing = [...leftOut, ...(video?.left_out ?? [])];
  return [
    [
      ...(length === null ? [] : [`${labels.length} ${timeOf(length)}`]),
      `${labels.engine}: ${engineName(engine, language)}`,
    ].join(', '),
    ...transcript.map(
      ({ start_s: at, kind, text, judged }) =>
        `${clockTime(at).padStart(5)}  ${kind === 'screen' ? `[${labels.onScreen}] ` : judged ? '' : `[${labels.notJudged}] `}${text}`,
    ),
    ...(line.length === 0 ? [] : [`${labels.frames}: ${line.join('  ')}`]),
    ...(video === null || video.verdict === null
      ? []
      : [`${labels.watched}: ${labels.verdicts[video.verdict]}`]),
    ...(video === null || video.summary === null ? [] : [`${labels.summary}: ${video.summary}`]),
    ...(analysis?.tracks ?? []).flatMap(({ detectors }) =>
      detectors.map((score) => `${detectorName(score.detector, language)}: ${resultOf(score, language)}`),
    ),
    ...seenBeforeLines(analysis?.seen_before ?? null, language).flatMap(({ text, claims }) => [
      text,
      ...claims,
    ]),
    ...missing.map(
      ({ part, reason, reason_ro }) =>
        `${labels.leftOut}: ${partName(part, language)}. ${language === 'ro' ? reason_ro : reason}`,
    ),
  ];
}
