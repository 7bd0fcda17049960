import type { RecordingDetector, RecordingDetectorResult } from './resources/recording.ts';

type Words = RecordingDetectorResult['cannot_see'];

/** A finding that says nothing either way. */
export const NO_WEIGHT = { value: 0, low: 0, high: 0 };

const BLIND_SPOTS: Readonly<Record<RecordingDetector, Words>> = {
  lip_sync: {
    en: 'New words in the same rhythm, good lip movements by a model, shifts of less than a quarter of a second, and everything outside the seconds that were looked at. Narration over a face moves with nothing and is no finding.',
    ro: 'Cuvinte noi în același ritm, mișcări bune ale buzelor făcute de un model, decalaje sub un sfert de secundă și tot ce e în afara secundelor privite. O voce din afara cadrului nu se potrivește cu nimic și nu este o constatare.',
  },
  digital_silence: {
    en: 'Made voices with noise or music under them; and it cannot tell a made voice from a noise gate or from silence that was cut in. Made voices that write no such silence are not looked for at all: no other sign of them could be measured here.',
    ro: 'Vocile generate cu zgomot sau muzică dedesubt; și nu poate deosebi o voce generată de o poartă de zgomot sau de o tăcere inserată la montaj. Vocile generate care nu lasă o asemenea liniște nu sunt căutate deloc: niciun alt semn al lor nu a putut fi măsurat aici.',
  },
  bandwidth_change: {
    en: 'Cuts within one recording, parts that were left out or moved, and parts from a source that is as wide as the rest: four of five of those go unseen. Reports and calls that were honestly put together look the same.',
    ro: 'Tăieturile din aceeași înregistrare, părțile scoase sau mutate și părțile dintr-o sursă la fel de largă ca restul: patru din cinci dintre acestea rămân nevăzute. Reportajele și convorbirile montate cinstit arată la fel.',
  },
  bandwidth: {
    en: 'It tells a history, not a forgery: telephones, messengers and old files end early, too. Earlier compression that left the width as it is stays unseen. It decides nothing.',
    ro: 'Spune o istorie, nu un fals: și telefoanele, aplicațiile de mesagerie și fișierele vechi se opresc devreme. O compresie anterioară care nu a îngustat banda rămâne nevăzută. Nu decide nimic.',
  },
  pulse: {
    en: 'Compression erases the pulse of real faces, and good forgeries carry that of the person behind them: neither its presence nor its absence decides anything.',
    ro: 'Compresia șterge pulsul fețelor reale, iar falsurile bune îl poartă pe cel al persoanei din spatele lor: nici prezența, nici absența lui nu decid nimic.',
  },
};

const INAPPLICABLE = {
  no_voice: {
    en: 'There is less than two seconds of a voice in it.',
    ro: 'Conține mai puțin de două secunde de voce.',
  },
  silent: { en: 'There is nothing to be heard in it.', ro: 'Nu se aude nimic în ea.' },
  narrow_sound: {
    en: 'It is too short, or holds too little above 3.5 kHz for its parts to differ there.',
    ro: 'Este prea scurtă sau are prea puțin sunet peste 3,5 kHz pentru ca părțile ei să se deosebească acolo.',
  },
  no_sound: { en: 'It has no sound.', ro: 'Nu are sunet.' },
  no_face: {
    en: 'No face is seen throughout the seconds that were looked at.',
    ro: 'Nu se vede o față pe tot parcursul secundelor privite.',
  },
  small_face: { en: 'The face is too small.', ro: 'Fața este prea mică.' },
  short_window: { en: 'It is too short.', ro: 'Este prea scurtă.' },
  slow_frames: {
    en: 'It has fewer than 20 frames a second.',
    ro: 'Are mai puțin de 20 de cadre pe secundă.',
  },
  no_skin: {
    en: 'Too little skin is seen in usable light.',
    ro: 'Se vede prea puțină piele într-o lumină folosibilă.',
  },
  nothing_moves_with_it: {
    en: 'The mouth moves with the sound neither at once nor with a delay: narration, noise, or a face that listens.',
    ro: 'Gura nu se mișcă odată cu sunetul, nici imediat, nici cu întârziere: o voce din afara cadrului, zgomot sau o față care ascultă.',
  },
  in_step_nowhere: {
    en: 'The mouth goes too little with the sound to say that they are in step, and fits no other moment clearly.',
    ro: 'Gura urmează sunetul prea puțin pentru a spune că sunt sincronizate și nu se potrivește clar cu niciun alt moment.',
  },
  engine_missing: {
    en: 'What finds faces is not installed here.',
    ro: 'Componenta care găsește fețe nu este instalată aici.',
  },
  engine_failed: {
    en: 'Faces could not be looked for.',
    ro: 'Fețele nu au putut fi căutate.',
  },
} as const satisfies Readonly<Record<string, Words>>;

/** Why a detector can say nothing of a recording. */
export type Inapplicable = keyof typeof INAPPLICABLE;

/** A detector that can say nothing. */
export const inapplicable = (detector: RecordingDetector, code: Inapplicable): RecordingDetectorResult => ({
  detector,
  applicable: false,
  reason: { code, ...INAPPLICABLE[code] },
  score: null,
  threshold: null,
  found: null,
  log_likelihood_ratio: NO_WEIGHT,
  explanation: null,
  cannot_see: BLIND_SPOTS[detector],
  stretches: [],
});

/** A detector that looked. */
export const applicable = (
  detector: RecordingDetector,
  result: Pick<RecordingDetectorResult, 'score' | 'threshold' | 'found' | 'explanation'> &
    Partial<Pick<RecordingDetectorResult, 'log_likelihood_ratio' | 'stretches'>>,
): RecordingDetectorResult => ({
  detector,
  applicable: true,
  reason: null,
  log_likelihood_ratio: NO_WEIGHT,
  stretches: [],
  ...result,
  cannot_see: BLIND_SPOTS[detector],
});
