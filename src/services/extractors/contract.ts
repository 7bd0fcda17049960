import { defineContract } from '../../foundation/contract.ts';
import { errors } from './errors.ts';
import { mediumMetadata, metadataOptions } from './resources/metadata.ts';
import { ocrOptions, pictureText } from './resources/ocr.ts';
import { overviewOptions, recordingOverview } from './resources/overview.ts';
import { pictureContent, recognitionState } from './resources/picture-content.ts';
import { PICTURE_KINDS, pictureKey } from './resources/pictures.ts';
import { mediumBody, readerHeaders } from './resources/source.ts';
import { namedEntities, textRequest, textSentiment } from './resources/text.ts';

/** Keys under which drawn pictures of a stored object are kept: they are removed with the object. */
export const drawingKeys = (objectKey: string): string[] =>
  PICTURE_KINDS.map((kind) => pictureKey(objectKey, kind));

/** What media carry and show: metadata, signed history, text in pictures; what texts name, and their feeling. */
export const extractors = defineContract({
  name: 'extractors',
  title: 'Extractors',
  version: '1.0.0',
  description:
    'What pictures, sounds and videos carry and show: metadata, the signed history of C2PA, text in pictures, objects and faces; what texts name, and their feeling. A file comes as a form, as a stored object, or within JSON.',
  errors,
  operations: {
    metadata: {
      method: 'POST',
      path: '/v1/metadata',
      summary: 'Read what a file says of itself',
      access: 'public',
      headers: readerHeaders,
      body: mediumBody(metadataOptions),
      answer: mediumMetadata,
    },
    ocr: {
      method: 'POST',
      path: '/v1/ocr',
      summary: 'Read the text in a picture',
      access: 'public',
      headers: readerHeaders,
      body: mediumBody(ocrOptions),
      answer: pictureText,
    },
    detect: {
      method: 'POST',
      path: '/v1/detect',
      summary: 'Find objects and faces in a picture, and whether it shows nudity',
      access: 'public',
      headers: readerHeaders,
      body: mediumBody({}),
      answer: pictureContent,
    },
    recognition: {
      method: 'GET',
      path: '/v1/detect',
      summary: 'Say whether anything is installed that recognises what pictures show',
      access: 'public',
      answer: recognitionState,
    },
    overview: {
      method: 'POST',
      path: '/v1/overview',
      summary: 'Draw a sound or video for people, and read what is written in it',
      access: 'public',
      headers: readerHeaders,
      body: mediumBody(overviewOptions),
      answer: recordingOverview,
    },
    ner: {
      method: 'POST',
      path: '/v1/ner',
      summary: 'Find what a text names',
      access: 'public',
      headers: readerHeaders,
      body: textRequest,
      answer: namedEntities,
    },
    sentiment: {
      method: 'POST',
      path: '/v1/sentiment',
      summary: 'Find the feeling of a text',
      access: 'public',
      headers: readerHeaders,
      body: textRequest,
      answer: textSentiment,
    },
  },
});
