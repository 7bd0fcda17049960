import { z } from 'zod';
import { type LocalizedText, localizedText } from '../../../foundation/localized-text.ts';

/** Pictures that are drawn of media, for people to look at. */
export const PICTURE_KINDS = ['error_level', 'spectrogram'] as const;
/** A kind of drawn picture. */
export type PictureKind = (typeof PICTURE_KINDS)[number];

/** What people see in each of them. */
export const PICTURE_WORDS: Readonly<Record<PictureKind, LocalizedText>> = {
  error_level: {
    en: 'How much each place changes when the picture is saved once more. Parts with another history may stand out, and so do sharp edges: it proves nothing.',
    ro: 'Cât se schimbă fiecare loc când imaginea este salvată încă o dată. Părțile cu altă istorie pot ieși în evidență, la fel și marginile clare: nu dovedește nimic.',
  },
  spectrogram: {
    en: 'Which frequencies sound when: time runs to the right, low frequencies are below, lighter is louder. Cuts show as sudden edges from top to bottom.',
    ro: 'Ce frecvențe se aud și când: timpul curge spre dreapta, frecvențele joase sunt jos, mai deschis înseamnă mai tare. Tăieturile se văd ca margini bruște de sus până jos.',
  },
};

/** A drawn picture, and where it is kept. */
export const drawnPicture = z
  .object({
    kind: z.enum(PICTURE_KINDS),
    mime_type: z.literal('image/png'),
    width: z.int().min(1),
    height: z.int().min(1),
    size_bytes: z.int().min(1),
    bucket: z.string(),
    object_key: z
      .string()
      .describe('Of a stored object: its own key with an ending, so that both are removed together.'),
    meaning: localizedText,
  })
  .meta({ id: 'DrawnPicture' });

/** A drawn picture, and where it is kept. */
export type DrawnPicture = z.infer<typeof drawnPicture>;

/** The key of a picture that was drawn of a stored object. */
export const pictureKey = (objectKey: string, kind: PictureKind): string =>
  `${objectKey}.${kind.replaceAll('_', '-')}.png`;
