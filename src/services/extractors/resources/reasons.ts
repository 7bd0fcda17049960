import { z } from 'zod';
import { type LocalizedText, localizedText } from '../../../foundation/localized-text.ts';
import type { RecordingReason } from '../../../media/recording/programs.ts';

/** Why a part of an answer is missing. */
export const REASONS = {
  not_applicable: {
    en: 'Files of this kind have none.',
    ro: 'Fișierele de acest fel nu au așa ceva.',
  },
  too_large: {
    en: 'The file is too large for this.',
    ro: 'Fișierul este prea mare pentru aceasta.',
  },
  unreadable: {
    en: 'The file could not be read that far: it is damaged, or written in a way that is not known.',
    ro: 'Fișierul nu a putut fi citit până acolo: este deteriorat sau scris într-un fel necunoscut.',
  },
  engine_missing: {
    en: 'The program or the data for this is not installed here.',
    ro: 'Programul sau datele pentru aceasta nu sunt instalate aici.',
  },
  engine_failed: {
    en: 'The program for this failed.',
    ro: 'Programul pentru aceasta a eșuat.',
  },
  timeout: {
    en: 'It took too long.',
    ro: 'A durat prea mult.',
  },
} as const satisfies Readonly<Record<string, LocalizedText>>;

/** A code of the table. */
export type Reason = keyof typeof REASONS;

const codes = Object.keys(REASONS) as [Reason, ...Reason[]];

/** A part of an answer that is missing, and why. */
export const missingPart = <const Part extends readonly [string, ...string[]]>(parts: Part) =>
  z.object({ part: z.enum(parts), reason: z.enum(codes), ...localizedText.shape });

/** A reason with its words. */
export const reasonOf = <Code extends Reason>(code: Code) => ({ code, ...REASONS[code] });

/** What the reasons for which a recording is not read are called here. */
export const RECORDING_REASONS: Readonly<Record<RecordingReason, Reason>> = {
  program_missing: 'engine_missing',
  broken: 'unreadable',
  no_track: 'not_applicable',
  too_long: 'too_large',
  too_large: 'too_large',
  timeout: 'timeout',
  out_of_memory: 'too_large',
};
