import type { LocalizedText } from '../../foundation/localized-text.ts';
import type { Detector } from './contract.ts';

/** Why a detector says nothing of a picture. */
export const INAPPLICABLE = {
  not_jpeg: {
    en: 'The picture is not a JPEG, so that it holds no steps of an earlier save.',
    ro: 'Imaginea nu este un fișier JPEG, deci nu păstrează treptele unei salvări anterioare.',
  },
  no_quantisation_table: {
    en: 'The file does not say how it was compressed.',
    ro: 'Fișierul nu spune cum a fost comprimat.',
  },
  too_small: {
    en: 'The picture is too small for a histogram of its blocks.',
    ro: 'Imaginea este prea mică pentru o histogramă a blocurilor ei.',
  },
  saved_once: {
    en: 'Nothing in the picture shows two saves, so that its parts cannot be told apart by them.',
    ro: 'Nimic din imagine nu arată două salvări, deci părțile ei nu pot fi deosebite după ele.',
  },
  lossy_container: {
    en: 'The file is compressed with loss: its own grid covers those of its parts.',
    ro: 'Fișierul este comprimat cu pierderi: grila lui proprie acoperă grilele părților.',
  },
  never_jpeg: {
    en: 'The picture carries no JPEG grid at all.',
    ro: 'Imaginea nu poartă nicio grilă JPEG.',
  },
  no_metadata: {
    en: 'The file says nothing of how it was made.',
    ro: 'Fișierul nu spune nimic despre felul în care a fost făcut.',
  },
} as const satisfies Readonly<Record<string, LocalizedText>>;

/** A code of the table. */
export type InapplicableCode = keyof typeof INAPPLICABLE;

/** What each detector cannot see, whatever it found. */
export const BLIND_SPOTS: Readonly<Record<Detector, LocalizedText>> = {
  generator_metadata: {
    en: 'Any new save, screenshot or messenger removes these words, and anybody can write them.',
    ro: 'Orice salvare nouă, captură de ecran sau aplicație de mesagerie șterge aceste cuvinte și oricine le poate scrie.',
  },
  file_history: {
    en: 'Editors that keep the metadata of the camera, and platforms that remove it from genuine photos too.',
    ro: 'Editoarele care păstrează metadatele aparatului și platformele care le șterg și din fotografiile autentice.',
  },
  double_quantisation: {
    en: 'Parts of a picture whose last save was the stronger one, that was never a JPEG before, or that was resized or cropped off its grid.',
    ro: 'Părți dintr-o imagine a cărei ultimă salvare a fost cea mai puternică, care nu a fost JPEG înainte sau care a fost redimensionată ori decupată în afara grilei.',
  },
  copy_move: {
    en: 'Copies that were turned, resized or repainted, small ones, and copies of surfaces that the compression left entirely even.',
    ro: 'Copii rotite, redimensionate sau repictate, copii mici și copii ale suprafețelor pe care compresia le-a lăsat cu totul uniforme.',
  },
  jpeg_grid: {
    en: 'Parts on the same grid as the rest, and everything that was saved as a JPEG again afterwards.',
    ro: 'Părți aflate pe aceeași grilă cu restul și tot ce a fost salvat din nou ca JPEG după aceea.',
  },
  error_level: {
    en: 'It is a picture for people: bright areas are often edges or texture. It decides nothing.',
    ro: 'Este o imagine pentru oameni: zonele luminoase sunt adesea contururi sau texturi. Nu decide nimic.',
  },
  ghost: {
    en: 'It is a picture for people: parts of another quality stand out only when the last save was weak. It decides nothing.',
    ro: 'Este o imagine pentru oameni: părțile de altă calitate se văd doar dacă ultima salvare a fost slabă. Nu decide nimic.',
  },
  noise: {
    en: 'It is a picture for people: smooth and rough surfaces differ in a genuine photo, too. It decides nothing.',
    ro: 'Este o imagine pentru oameni: suprafețele netede și cele aspre diferă și într-o fotografie autentică. Nu decide nimic.',
  },
};
