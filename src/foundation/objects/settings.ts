import { z } from 'zod';
import { address, optionalText, text } from '../settings.ts';

/** Where media are kept: settings that all services which keep or read some have in common. */
export const objectSettings = z.object({
  S3_ENDPOINT: address().describe(
    'The root of an S3 store for media; unset means files below LIMPEDE_HOME. The bucket is named in the path. Let the bucket end unfinished uploads by a rule of its own.',
  ),
  S3_BUCKET: text('limpede').describe('The bucket, which must be there.'),
  S3_REGION: text('us-east-1').describe('The region that requests to the S3 store are signed for.'),
  S3_ACCESS_KEY_ID: optionalText().describe('The key of the S3 store; needed with S3_ENDPOINT.'),
  S3_SECRET_ACCESS_KEY: optionalText().describe('The secret of that key; needed with S3_ENDPOINT.'),
});

/** Checked settings of the store of objects. */
export type ObjectSettings = z.infer<typeof objectSettings>;
