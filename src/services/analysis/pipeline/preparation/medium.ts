import { Failure } from '../../../../foundation/errors.ts';
import { errors } from '../../errors.ts';
import type { StoredMedia } from '../../store/media.ts';
import { checkMedium } from '../intake.ts';
import {
  IntakeImpossibleError,
  type Preparation,
  type PreparationRun,
  type PreparationTools,
} from './preparation.ts';

const FIRST_SERVER_ERROR = 500;

/** The medium of a session: a stored one of its owner, or one that is fetched and stored. */
async function find(url: string, tools: PreparationTools, run: PreparationRun): Promise<StoredMedia> {
  const { mediaId, account, signal } = run;
  if (mediaId === undefined) return tools.fetchMedia(account, url, signal);
  const media = await tools.findMedia(account, mediaId);
  if (media === undefined) throw errors.media_not_found();
  return media;
}

/** Brings the medium of the session into the store, and makes sure that it is what it was submitted as. */
export const medium: Preparation = {
  makes: [],
  quickWhenStored: true,
  outside: {
    stage: 'medium',
    timeoutMs: 40_000,
    loss: { dependency: 'objects', effect: 'part_missing' },
    lost: { code: 'medium_lost', values: {} },
    failed: { code: 'medium_step_failed', values: {} },
  },
  run: async (material, tools, run) => {
    const kind = (['image', 'sound', 'video'] as const).find((name) => material.parts[name] !== undefined);
    const address = kind === undefined ? undefined : material.parts[kind];
    if (kind === undefined || address === undefined) return material;
    try {
      const media = await find(address.url, tools, run);
      checkMedium(material.mediaType, media);
      const stored = { media_id: media.mediaId, mime_type: media.mimeType, sha256: media.sha256 };
      return { ...material, parts: { ...material.parts, [kind]: { ...address, stored } } };
    } catch (error) {
      // An error after the end of the step is a consequence of it.
      run.signal.throwIfAborted();
      if (!(error instanceof Failure)) throw error;
      // A failure of ours loses the material; a fault of the medium itself fails the session.
      if (error.status >= FIRST_SERVER_ERROR) return { lost: 'unavailable' };
      throw new IntakeImpossibleError(error.code, error);
    }
  },
};
