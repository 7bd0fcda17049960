import { join } from 'node:path';
import { SettingsError } from '../settings.ts';
import { openTemporaryFiles } from '../temporary-files.ts';
import { createDiskStore } from './disk.ts';
import type { ObjectStore } from './object-store.ts';
import { createS3Store } from './s3.ts';
import type { ObjectSettings } from './settings.ts';

/** The store of objects of an installation by its settings: the same for every service. */
export function openObjects(settings: ObjectSettings, home: string): ObjectStore {
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region } = settings;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (endpoint === undefined) return createDiskStore(join(home, 'objects'));
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new SettingsError(['S3_ENDPOINT: needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY']);
  const lent = openTemporaryFiles(join(home, 'temporary', 'objects'));
  return createS3Store({ endpoint, bucket, region, accessKeyId, secretAccessKey }, lent);
}
