import { writeFileSync } from 'node:fs';
import type { AnalysisSession } from '../services/analysis/resources/analysis-session.ts';
import { type Api, callFile } from './api.ts';

/** What is drawn where no detector found anything: it shows the whole picture, and decides nothing. */
const SHOWN_ALWAYS = 'error_level';

/**
 * Writes the heat maps of a picture beside it, `photo.copy_move.png` for `photo.jpg`: those of the detectors that found something, else
 * the one for people to look at. The names of the files.
 */
export async function writeOverlays(
  api: Api,
  { ai_tampered: found }: Pick<AnalysisSession, 'ai_tampered'>,
  path: string,
): Promise<string[]> {
  const drawn = (found?.image_analysis?.detectors ?? []).filter(({ picture }) => picture !== null);
  const telling = drawn.filter(({ found }) => found === true);
  const chosen = telling.length > 0 ? telling : drawn.filter(({ detector }) => detector === SHOWN_ALWAYS);
  const names: string[] = [];
  for (const { detector, picture } of chosen) {
    const name = `${path.replace(/\.[^./\\]+$/, '')}.${detector}.png`;
    const { pathname } = new URL(picture?.media_url ?? '');
    writeFileSync(name, await callFile(api, pathname));
    names.push(name);
  }
  return names;
}
