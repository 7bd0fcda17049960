import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wavOf } from '../../../../src/services/speech/pieces.ts';
import { noise, recordingOf } from '../../../media/recording/voices.ts';
import { forensicRecording, told } from '../engines/ai-recording/recordings.ts';

/** A short sound as a file; the seed makes its bytes. */
export function soundFile(seconds = 1, level = 0.05): Buffer {
  const sound = recordingOf(noise(seconds, level));
  return wavOf(sound, { startSec: 0, endSec: seconds });
}

const segment = (id: number, start: number, end: number, text: string) => ({
  ...{ id, seek: 0, start, end, text, tokens: [], temperature: null },
  ...{ avg_logprob: null, compression_ratio: 1, no_speech_prob: null },
});

/** Sentences with techniques and a claim, and when each is said. */
export const SAID = [
  segment(0, 0.4, 3, 'They are HIDING the truth from you!'),
  segment(1, 3.2, 9, 'Doctors admit that this one trick destroys the virus overnight.'),
  segment(2, 12, 15.5, 'In 2023 the government spent 40 million euros on secret vaccines.'),
];

/** What a transcription says that an engine wrote. */
export const transcript = (segments = SAID) => ({
  task: 'transcribe',
  text: segments.map(({ text }) => text).join(' '),
  language: 'en',
  duration: 16,
  engine: segments.length === 0 ? null : { model: 'large', backend: 'upstream' },
  voice: { voiced_seconds: 12, stretches: [] },
  degraded: [] as object[],
  segments,
});

/** What a transcription says where there is no engine. */
export const noEngine = () => ({
  ...transcript([]),
  language: 'und',
  degraded: [{ dependency: 'speech_engine', reason: 'no_engine', message: 'x', message_ro: 'x' }],
});

type Reply = readonly [status: number, body: unknown];

/** The services that the analysis asks about recordings, which answer what a test says. */
export async function startRecordingServices() {
  const state = {
    speech: [200, transcript()] as Reply,
    forensic: [200, forensicRecording([told(1.2)])] as Reply,
    /** Paths that were asked, in their order. */
    asked: [] as string[],
    /** Requests whose caller left before the answer. */
    left: 0,
    /** Answers are held back until it resolves. */
    hold: undefined as Promise<void> | undefined,
  };
  const replyTo = (path: string): Reply => {
    if (path === '/v1/audio/transcriptions') return state.speech;
    if (path === '/v1/analyze/recording') return state.forensic;
    return [404, {}];
  };
  const answer = (response: ServerResponse, [status, body]: Reply) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = createServer(async (request, response) => {
    for await (const _part of request);
    const path = request.url ?? '';
    state.asked.push(path);
    response.once('close', () => {
      if (!response.writableFinished) state.left += 1;
    });
    await state.hold;
    answer(response, replyTo(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
