import type { Sound } from '../../../media/recording/sound.ts';
import type { RecordingDetector, RecordingDetectorResult } from '../resources/recording.ts';
import { type Bandwidth, zeroShare } from './features.ts';

/** Share of exact zeros from which it is digital silence: real recordings of the card have 0.7 % at most, made ones 2.2 % at least. */
export const ZERO_SHARE = 0.015;
/** With less of a voice there is too little to tell a recording from an effect. */
const LEAST_VOICED_SECONDS = 2;
/** By the Jeffreys 90 % bounds of the rates of the card, within the cap of the group: noise gates and editing do the same. */
const SILENCE_WEIGHT = { value: 1.2, low: 1.2, high: 1.2 };
const NOTHING = { value: 0, low: 0, high: 0 };

const BLIND_SPOTS: Readonly<Record<RecordingDetector, RecordingDetectorResult['cannot_see']>> = {
  digital_silence: {
    en: 'Made voices with noise or music under them; and it cannot tell a made voice from a noise gate or from silence that was cut in.',
    ro: 'Vocile generate cu zgomot sau muzică dedesubt; și nu poate deosebi o voce generată de o poartă de zgomot sau de o tăcere inserată la montaj.',
  },
  bandwidth: {
    en: 'It tells a history, not a forgery: telephones, messengers and old files end early, too. It decides nothing.',
    ro: 'Spune o istorie, nu un fals: și telefoanele, aplicațiile de mesagerie și fișierele vechi se opresc devreme. Nu decide nimic.',
  },
};

const NO_VOICE = {
  code: 'no_voice',
  en: 'There is less than two seconds of a voice in it.',
  ro: 'Conține mai puțin de două secunde de voce.',
};
const SILENT = { code: 'silent', en: 'There is nothing to be heard in it.', ro: 'Nu se aude nimic în ea.' };

const inapplicable = (
  detector: RecordingDetector,
  reason: NonNullable<RecordingDetectorResult['reason']>,
): RecordingDetectorResult => ({
  detector,
  applicable: false,
  reason,
  score: null,
  threshold: null,
  found: null,
  log_likelihood_ratio: NOTHING,
  explanation: null,
  cannot_see: BLIND_SPOTS[detector],
  stretches: [],
});

/** Samples that are exactly zero: a microphone never gives that. */
export function digitalSilence(sound: Sound, voicedSec: number): RecordingDetectorResult {
  if (voicedSec <= LEAST_VOICED_SECONDS) return inapplicable('digital_silence', NO_VOICE);
  const share = zeroShare(sound);
  const found = share >= ZERO_SHARE;
  const percent = (100 * share).toFixed(1);
  return {
    detector: 'digital_silence',
    applicable: true,
    reason: null,
    score: share,
    threshold: ZERO_SHARE,
    found,
    log_likelihood_ratio: found ? SILENCE_WEIGHT : NOTHING,
    explanation: found
      ? {
          en: `${percent} % of the samples are exactly zero, which no microphone gives: a made voice, a noise gate or editing.`,
          ro: `${percent.replace('.', ',')} % din eșantioane sunt exact zero, ceea ce niciun microfon nu dă: o voce generată, o poartă de zgomot sau montaj.`,
        }
      : null,
    cannot_see: BLIND_SPOTS.digital_silence,
    stretches: [],
  };
}

/** Where the content ends, for people: earlier compression or a lower sample rate before. */
export function earlyEnd(bandwidth: Bandwidth | undefined): RecordingDetectorResult {
  if (bandwidth === undefined) return inapplicable('bandwidth', SILENT);
  const kilohertz = (bandwidth.hertz / 1000).toFixed(1);
  return {
    detector: 'bandwidth',
    applicable: true,
    reason: null,
    score: bandwidth.hertz,
    threshold: null,
    found: bandwidth.isCut,
    log_likelihood_ratio: NOTHING,
    explanation: bandwidth.isCut
      ? {
          en: `The sound ends abruptly at ${kilohertz} kHz: it was compressed more strongly before, or had a lower sample rate.`,
          ro: `Sunetul se oprește brusc la ${kilohertz.replace('.', ',')} kHz: a fost comprimat mai puternic înainte sau a avut o rată de eșantionare mai mică.`,
        }
      : null,
    cannot_see: BLIND_SPOTS.bandwidth,
    stretches: [],
  };
}
