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

/** The begin of a film: enough to be one by its bytes. */
export const FILM = Buffer.from('00000018667479706d703432000000006d70343269736f6d00000008', 'hex');

/** One white pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTjTNwAAAABJRU5ErkJggg==';
const pixel = (mime_type: string) => ({ mime_type, width: 1, height: 1, data: PIXEL });

/** What the extractors draw of a film of 16 s, in which a caption stands. */
const overview = () => ({
  request_id: '8f0b7a54-7d0e-4f0e-9c38-6b6b3a1f3b9e',
  media_type: 'video',
  mime_type: 'video/mp4',
  size_bytes: 28,
  sha256: 'a'.repeat(64),
  frames: [0, 1].map((index) => ({
    index: 40 * index,
    timestamp_s: 4 + 8 * index,
    picture: pixel('image/jpeg'),
    text: 'CALL THIS SECRET NUMBER NOW',
  })),
  waveform: pixel('image/png'),
  spectrogram: pixel('image/png'),
  degraded: [],
  overview_time_ms: 1,
});

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const signal = (group: string, ratio: number) => ({
  ...{ group, applicable: true, log_likelihood_ratio: ratio, strong: false },
  explanation: { en: 'It says: warped hands.', ro: 'Spune: mâini deformate.' },
});
/** What the video service says of a film of 16 s. */
export const judged = () => ({
  request_id: '8f0b7a54-7d0e-4f0e-9c38-6b6b3a1f3b9e',
  run_dir: '/run',
  verdict: 'UNCERTAIN',
  explanation: 'Uncertain.',
  explanation_ro: 'Incert.',
  frames_analyzed: 16,
  evidence: [{ frame_index: 40, timestamp_s: 12 }],
  probability: 0.4,
  evidence_grade: 'C',
  signals: [signal('provenance', 0), signal('vision_model', 1.8)],
  usage,
  latency_s: { sampling_time_s: 0, encode_time_s: 0, model_inference_time_s: 0 },
  meta: { fps: 5, total_frames: 80, duration_s: 16, sampled: 2, indices: [0, 40], timestamps_s: [4, 12] },
});
const described = () => ({
  request_id: '8f0b7a54-7d0e-4f0e-9c38-6b6b3a1f3b9e',
  run_dir: '/run',
  analysis_type: 'semantic',
  video_duration_s: 16,
  num_chunks: 1,
  chunk_results: [
    {
      ...{ chunk_idx: 0, time_range: '0.0-16.0', description: 'A man waves.' },
      ...{ frames_analyzed: 8, inference_time_s: 0, usage },
    },
  ],
  final_summary: 'A man waves his hands.',
  aggregation_time_s: 0,
  total_latency_s: 0,
  degraded: [],
  meta: {
    ...{ fps: 5, total_frames: 80, duration_s: 16 },
    ...{ chunk_duration_s: 60, frames_per_chunk: 8, total_frames_sampled: 8 },
  },
});
const healthOf = (vision: string) => ({ status: 'ok', checks: { vision: { status: vision, error: null } } });

/** The field `language` of a form. */
const languageIn = (form: Buffer) =>
  /name="language"\r\n(?:[^\r\n]+\r\n)*\r\n([^\r\n]*)/.exec(form.toString('latin1'))?.[1] ?? null;

type Reply = readonly [status: number, body: unknown];

/** The services that the analysis asks about recordings, which answer what a test says. */
export async function startRecordingServices() {
  const state = {
    speech: [200, transcript()] as Reply,
    forensic: [200, forensicRecording([told(1.2)])] as Reply,
    overview: [200, overview()] as Reply,
    judged: [200, judged()] as Reply,
    described: [200, described()] as Reply,
    /** The vision server as the video service sees it. */
    vision: 'healthy',
    /** Paths that were asked, in their order. */
    asked: [] as string[],
    /** The language that the last transcription named; null: none. */
    spoken: null as string | null,
    /** Requests whose caller left before the answer. */
    left: 0,
    /** Answers are held back until it resolves. */
    hold: undefined as Promise<void> | undefined,
  };
  const replyTo = (path: string): Reply => {
    if (path === '/v1/audio/transcriptions') return state.speech;
    if (path === '/v1/analyze/recording') return state.forensic;
    if (path === '/v1/overview') return state.overview;
    if (path === '/analyze/video') return state.judged;
    if (path === '/analyze/video/semantic') return state.described;
    if (path === '/health') return [200, healthOf(state.vision)];
    return [404, {}];
  };
  const answer = (response: ServerResponse, [status, body]: Reply) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const path = request.url ?? '';
    if (path === '/v1/audio/transcriptions') state.spoken = languageIn(Buffer.concat(parts));
    if (path !== '/health') state.asked.push(path);
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
