import { type Human, loadHuman } from '../../../media/human.ts';
import type { FrameRun } from '../../../media/recording/window.ts';
import { FACE_PARTS, type FaceTrack, trackFaces } from './faces.ts';

/** Frames for a thread, and where what finds faces is installed. */
export interface FaceTask extends Omit<FrameRun, 'rgb'> {
  readonly rgb: Uint8Array;
  readonly folder: string;
}

let opened: Promise<Human> | undefined;

/** Follows the face of a run of frames in this thread. */
export default async function trackInThread({ folder, rgb, ...run }: FaceTask): Promise<FaceTrack> {
  opened ??= loadHuman(folder, FACE_PARTS);
  const human = await opened.catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return trackFaces(human, { ...run, rgb: Buffer.from(rgb.buffer, rgb.byteOffset, rgb.byteLength) });
}
