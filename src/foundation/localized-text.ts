import { z } from 'zod';

/** A text in the languages of the product, as answers carry it. */
export const localizedText = z.object({ en: z.string(), ro: z.string() });

/** A text in the languages of the product. */
export interface LocalizedText {
  readonly en: string;
  readonly ro: string;
}

/** A language in which the product speaks to its readers. */
export type Language = keyof LocalizedText;
