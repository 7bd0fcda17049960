import { roundTo } from '../../../foundation/numbers.ts';
import type { Sound } from '../../../media/recording/sound.ts';
import { applicable, inapplicable, NO_WEIGHT } from '../recording-results.ts';
import type { RecordingDetectorResult } from '../resources/recording.ts';
import type { BandwidthSteps } from './bandwidth-steps.ts';
import { type Bandwidth, zeroShare } from './features.ts';

/** Share of exact zeros from which it is digital silence: real recordings of the card have 0.7 % at most, made ones 2.2 % at least. */
export const ZERO_SHARE = 0.015;
/** With less of a voice there is too little to tell a recording from an effect. */
const LEAST_VOICED_SECONDS = 2;
/** By the Jeffreys 90 % bounds of the rates of the card, within the cap of the group: noise gates and editing do the same. */
const SILENCE_WEIGHT = { value: 1.2, low: 1.2, high: 1.2 };

/** Samples that are exactly zero: a microphone never gives that. */
export function digitalSilence(sound: Sound, voicedSec: number): RecordingDetectorResult {
  if (voicedSec <= LEAST_VOICED_SECONDS) return inapplicable('digital_silence', 'no_voice');
  const share = zeroShare(sound);
  const isSuspicious = share >= ZERO_SHARE;
  const percent = (100 * share).toFixed(1);
  return applicable('digital_silence', {
    score: share,
    threshold: ZERO_SHARE,
    found: isSuspicious,
    log_likelihood_ratio: isSuspicious ? SILENCE_WEIGHT : NO_WEIGHT,
    explanation: isSuspicious
      ? {
          en: `${percent} % of the samples are exactly zero, which no microphone gives: a made voice, a noise gate or editing.`,
          ro: `${percent.replace('.', ',')} % din eșantioane sunt exact zero, ceea ce niciun microfon nu dă: o voce generată, o poartă de zgomot sau montaj.`,
        }
      : null,
  });
}

/** Where the content ends, for people: earlier compression or a lower sample rate before. */
export function bandwidthLimit(bandwidth: Bandwidth | undefined): RecordingDetectorResult {
  if (bandwidth === undefined) return inapplicable('bandwidth', 'silent');
  const kilohertz = (bandwidth.hertz / 1000).toFixed(1);
  return applicable('bandwidth', {
    score: bandwidth.hertz,
    threshold: null,
    found: bandwidth.isCut,
    explanation: bandwidth.isCut
      ? {
          en: `The sound ends abruptly at ${kilohertz} kHz: it was compressed more strongly before, or had a lower sample rate.`,
          ro: `Sunetul se oprește brusc la ${kilohertz.replace('.', ',')} kHz: a fost comprimat mai puternic înainte sau a avut o rată de eșantionare mai mică.`,
        }
      : null,
  });
}

/** Decibels from which a step of the bandwidth is reported: copies of untouched recordings of the card have 12 at most. */
export const STEP_DECIBELS = 15;
/** Recordings that were honestly put together of two sources have such steps, too, so that the rates of the card count little. */
const STEP_WEIGHT = { value: 0.4, low: 0, high: 0.4 };

/** Parts without the high sounds of the rest: they came another way. */
export function bandwidthChange(steps: BandwidthSteps | undefined): RecordingDetectorResult {
  if (steps === undefined) return inapplicable('bandwidth_change', 'narrow_sound');
  const isSuspicious = steps.gap >= STEP_DECIBELS;
  const kilohertz = (steps.hertz / 1000).toFixed(1);
  return applicable('bandwidth_change', {
    score: steps.gap,
    threshold: STEP_DECIBELS,
    found: isSuspicious,
    log_likelihood_ratio: isSuspicious ? STEP_WEIGHT : NO_WEIGHT,
    stretches: isSuspicious
      ? steps.ranges.map(({ startSec, endSec }) => ({
          start_s: rounded(startSec),
          end_s: rounded(endSec),
        }))
      : [],
    explanation: isSuspicious
      ? {
          en: `A part has nothing above ${kilohertz} kHz where the rest has high sounds: it comes from another source, such as a telephone or an older file, or the connection changed.`,
          ro: `O parte nu are nimic peste ${kilohertz.replace('.', ',')} kHz, deși restul are sunete înalte: provine din altă sursă, de pildă un telefon sau un fișier mai vechi, sau s-a schimbat calitatea conexiunii.`,
        }
      : null,
  });
}

/** A time as answers have it. */
const rounded = (seconds: number): number => roundTo(seconds, 2);
