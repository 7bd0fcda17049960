import { defineContract } from '../../foundation/contract.ts';
import { errors } from './errors.ts';
import { mediumMetadata, metadataOptions } from './resources/metadata.ts';
import { callerHeaders, mediumBody } from './resources/source.ts';

/** What media carry and show: metadata, signed history. */
export const extractors = defineContract({
  name: 'extractors',
  title: 'Extractors',
  version: '1.0.0',
  description:
    'What pictures, sounds and videos carry: metadata, the signed history of C2PA. A file comes as a form, as a stored object, or within JSON.',
  errors,
  operations: {
    metadata: {
      method: 'POST',
      path: '/v1/metadata',
      summary: 'Read what a file says of itself',
      access: 'public',
      headers: callerHeaders,
      body: mediumBody(metadataOptions),
      answer: mediumMetadata,
    },
  },
});
