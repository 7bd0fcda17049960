import type { PreparationName } from '../../resources/media-types.ts';
import { language } from './language.ts';
import { medium } from './medium.ts';
import { overview } from './overview.ts';
import { page } from './page.ts';
import type { Preparation } from './preparation.ts';
import { recognition } from './recognition.ts';
import { transcription } from './transcription.ts';

/** The steps that make material. Which kind of content needs which is a row of `resources/media-types.ts`. */
export const preparations: { readonly [Name in PreparationName]: Preparation } = {
  page,
  language,
  medium,
  recognition,
  transcription,
  overview,
};
