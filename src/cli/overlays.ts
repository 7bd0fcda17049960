import { writeFileSync } from 'node:fs';
import type { AnalysisSession } from '../services/analysis/resources/analysis-session.ts';
import { type Api, callFile } from './api.ts';

/** The map that is drawn for people when no detector found anything; it takes no part in the verdict. */
const SHOWN_ALWAYS = 'error_level';

interface Drawing {
  readonly name: string;
  readonly address: string;
}

/** What was drawn of a recording: wave form, spectrogram, and each frame with the second at which it is shown. */
function drawnOfRecording(recording: AnalysisSession['recording']): Drawing[] {
  if (recording === null) return [];
  const { waveform, spectrogram, frames } = recording;
  const named = [
    { name: 'waveform.png', picture: waveform },
    { name: 'spectrogram.png', picture: spectrogram },
    ...frames.map(({ timestamp_s: at, picture }) => ({ name: `${at.toFixed(1)}s.jpg`, picture })),
  ];
  return named.flatMap(({ name, picture }) =>
    picture === null ? [] : [{ name, address: picture.media_url }],
  );
}

/** The heat maps of detectors that found something in a picture, else the one for people to look at. */
function drawnOfPicture(found: AnalysisSession['ai_tampered']): Drawing[] {
  const drawn = (found?.image_analysis?.detectors ?? []).filter(({ picture }) => picture !== null);
  const telling = drawn.filter(({ found }) => found === true);
  const chosen = telling.length > 0 ? telling : drawn.filter(({ detector }) => detector === SHOWN_ALWAYS);
  return chosen.map(({ detector, picture }) => ({
    name: `${detector}.png`,
    address: picture?.media_url ?? '',
  }));
}

/**
 * Writes the heat maps of a picture beside it, `photo.copy_move.png` for `photo.jpg`, or what was drawn of a recording,
 * `talk.spectrogram.png` for `talk.mp3`. The names of the files.
 */
export async function writeOverlays(
  api: Api,
  {
    ai_tampered: found,
    recording = null,
  }: Pick<AnalysisSession, 'ai_tampered'> & Partial<Pick<AnalysisSession, 'recording'>>,
  path: string,
): Promise<string[]> {
  const names: string[] = [];
  for (const { name: ending, address } of [...drawnOfPicture(found), ...drawnOfRecording(recording)]) {
    const name = `${path.replace(/\.[^./\\]+$/, '')}.${ending}`;
    const { pathname } = new URL(address);
    writeFileSync(name, await callFile(api, pathname));
    names.push(name);
  }
  return names;
}
