import { applicable, type Inapplicable, inapplicable, NO_WEIGHT } from '../recording-results.ts';
import type { RecordingDetectorResult } from '../resources/recording.ts';
import type { FaceTrack } from './faces.ts';
import { lipSyncOf } from './lip-sync.ts';
import { detectPulse, type SkinColour } from './pulse.ts';

/** What was seen in a window of a film, frame by frame. */
export interface FilmWindow {
  readonly fromSec: number;
  readonly framesPerSecond: number;
  /** Frames of a second that the file itself has; null when it does not tell. */
  readonly ownFramesPerSecond: number | null;
  readonly faces: FaceTrack;
  /** Of each frame; undefined without sound. */
  readonly loudness: Float64Array | undefined;
  /** Seconds of a voice in the window. */
  readonly voicedSec: number;
}

/** The sound fits the mouth so much better at another moment: untouched films of the card reach 0.10, small ones 0.35. */
export const LEAST_LEAD = 0.25;
/** And so well there: less is chance. */
const LEAST_APART = 0.5;
/** Less than this at every moment says nothing. */
const LEAST_CORRELATION = 0.25;
/** From here on mouth and sound are in step: 9 of 12 untouched films of the card, and 9 of the 43 moved ones that are missed. */
const LEAST_TOGETHER = 0.45;
/** The films of the card have three seconds, of which some frames may be missing; in shorter ones few other moments can be compared. */
const LEAST_SYNC_SECONDS = 2.7;
/** By the Jeffreys 90 % bounds of the rates of the card (four speakers), within the cap of the group. */
const LIP_WEIGHT = { value: 1.2, low: 0.4, high: 1.5 };
/** Share of the frames in which the face has to be seen, and the pixels between its eyes: a face of 60. */
const SEEN_SHARE = 0.8;
const LEAST_EYE_DISTANCE = 25;
const LEAST_VOICED_SECONDS = 2;
const LEAST_PULSE_SECONDS = 8;
const LEAST_FRAMES = 20;
/** Both methods agree within so many beats, above the noise. */
const SAME_BEATS = 3;

function withoutFace({ faces }: FilmWindow): Inapplicable | undefined {
  const distances = faces.flatMap((face) => (face === null ? [] : [face.eyeDistance]));
  if (distances.length < SEEN_SHARE * faces.length || distances.length === 0) return 'no_face';
  distances.sort((one, two) => one - two);
  return (distances[distances.length >> 1] ?? 0) < LEAST_EYE_DISTANCE ? 'small_face' : undefined;
}

/** Whether the mouth moves with the sound, or with that of another moment. */
export function lipSync(window: FilmWindow): RecordingDetectorResult {
  const { faces, loudness, framesPerSecond, fromSec, voicedSec } = window;
  if (loudness === undefined) return inapplicable('lip_sync', 'no_sound');
  const without = withoutFace(window);
  if (without !== undefined) return inapplicable('lip_sync', without);
  if (voicedSec < LEAST_VOICED_SECONDS) return inapplicable('lip_sync', 'no_voice');
  const motion = faces.map((face) => face?.mouthMotion ?? null);
  const isShort = Math.min(motion.length, loudness.length) < LEAST_SYNC_SECONDS * framesPerSecond;
  const sync = isShort ? undefined : lipSyncOf(motion, loudness, framesPerSecond);
  if (sync === undefined) return inapplicable('lip_sync', 'short_window');
  if (Math.max(sync.together, sync.apart) < LEAST_CORRELATION)
    return inapplicable('lip_sync', 'nothing_moves_with_it');
  const score = sync.apart - sync.together;
  const isSuspicious = score >= LEAST_LEAD && sync.apart >= LEAST_APART;
  if (!isSuspicious && sync.together < LEAST_TOGETHER) return inapplicable('lip_sync', 'in_step_nowhere');
  const seconds = Math.abs(sync.lagSec).toFixed(1);
  const [en, ro] = sync.lagSec > 0 ? ['after', 'după'] : ['before', 'înainte de'];
  return applicable('lip_sync', {
    score,
    threshold: LEAST_LEAD,
    found: isSuspicious,
    log_likelihood_ratio: isSuspicious ? LIP_WEIGHT : NO_WEIGHT,
    explanation: isSuspicious
      ? {
          en: `The sound comes ${seconds} s ${en} the movements of the mouth that fit it: picture and sound were put together anew, or are out of step.`,
          ro: `Sunetul vine cu ${seconds.replace('.', ',')} s ${ro} mișcările gurii care i se potrivesc: imaginea și sunetul au fost puse împreună din nou sau sunt decalate.`,
        }
      : null,
    stretches: isSuspicious ? [{ start_s: fromSec, end_s: fromSec + faces.length / framesPerSecond }] : [],
  });
}

/** Whether the skin changes its colour with a heart; for people, it weighs nothing. */
export function pulse(window: FilmWindow): RecordingDetectorResult {
  const { faces, framesPerSecond, ownFramesPerSecond } = window;
  const without = withoutFace(window);
  if (without !== undefined) return inapplicable('pulse', without);
  if ((ownFramesPerSecond ?? framesPerSecond) < LEAST_FRAMES) return inapplicable('pulse', 'slow_frames');
  if (faces.length < LEAST_PULSE_SECONDS * framesPerSecond) return inapplicable('pulse', 'short_window');
  const skins = faces.map((face) => face?.skin ?? null);
  if (skins.filter((skin) => skin !== null).length < SEEN_SHARE * faces.length)
    return inapplicable('pulse', 'no_skin');
  let last: SkinColour = skins.find((skin) => skin !== null) ?? [0, 0, 0];
  const colours = skins.map((skin) => {
    last = skin ?? last;
    return last;
  });
  const { pos, chrom } = detectPulse(colours, framesPerSecond);
  const beats = Math.round((pos.beatsPerMinute + chrom.beatsPerMinute) / 2);
  const isSeen =
    Math.abs(pos.beatsPerMinute - chrom.beatsPerMinute) <= SAME_BEATS &&
    Math.min(pos.signalToNoise, chrom.signalToNoise) > 0;
  return applicable('pulse', {
    score: Math.min(pos.signalToNoise, chrom.signalToNoise),
    threshold: null,
    found: null,
    explanation: isSeen
      ? {
          en: `The colour of the skin changes ${beats} times a minute, as with a heart.`,
          ro: `Culoarea pielii se schimbă de ${beats} de ori pe minut, ca în ritmul inimii.`,
        }
      : null,
  });
}
