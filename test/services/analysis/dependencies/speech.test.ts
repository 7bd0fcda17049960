import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createClient, type LossReason } from '../../../../src/foundation/client.ts';
import {
  type SpeechClient,
  type SpeechOutcome,
  transcribe,
} from '../../../../src/services/analysis/dependencies/speech.ts';
import { speech, type VerboseTranscription } from '../../../../src/services/speech/contract.ts';
import { pause, startManualClock, until } from '../../../patience.ts';

const ANSWER: VerboseTranscription = {
  task: 'transcribe',
  text: 'Apa este limpede.',
  language: 'ro',
  duration: 12,
  engine: { model: 'large', backend: 'upstream' },
  voice: { voiced_seconds: 3, stretches: [{ start: 1, end: 4 }] },
  degraded: [],
  segments: [
    {
      ...{ id: 0, seek: 0, start: 1, end: 4, text: 'Apa este limpede.', tokens: [], temperature: null },
      ...{ avg_logprob: null, compression_ratio: 1, no_speech_prob: null },
    },
  ],
};
const lacking = (reason: VerboseTranscription['degraded'][number]['reason']): VerboseTranscription => ({
  ...ANSWER,
  text: '',
  language: 'und',
  engine: null,
  segments: [],
  degraded: [{ dependency: 'speech_engine', reason, message: 'x', message_ro: 'x' }],
});

/** A client whose service answers this, or is lost or refuses. */
const client = (reply: unknown, ending?: { lost: LossReason } | { refused: string }): SpeechClient => ({
  transcribe: async (_input, options) => {
    if (ending !== undefined && 'lost' in ending)
      options?.lost?.({ dependency: 'speech', reason: ending.lost, message: 'x' });
    if (ending !== undefined && 'refused' in ending)
      options?.refused?.({ dependency: 'speech', status: 400, body: { error: { code: ending.refused } } });
    if (ending !== undefined) return undefined;
    const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
    return { mediaType: 'application/json', size: undefined, content: Readable.from([Buffer.from(text)]) };
  },
});
const ask = (asked: SpeechClient): Promise<SpeechOutcome> => {
  const file = { content: Readable.from([]), fileName: 'a.wav', mediaType: 'audio/wav' };
  const run = { account: 'clients/ana', correlationId: 'c', signal: new AbortController().signal };
  return transcribe(asked, file, 12, run);
};

describe('the speech service', () => {
  it('gives words with their times', async () => {
    expect(await ask(client(ANSWER))).toEqual({
      transcript: {
        durationSec: 12,
        voicedSec: 3,
        engine: { model: 'large', backend: 'upstream', low_confidence: false },
        words: [{ startSec: 1, endSec: 4, text: 'Apa este limpede.' }],
        without: null,
      },
    });
  });

  it.each<[string, SpeechClient, object]>([
    [
      'has no engine',
      client(lacking('no_engine')),
      { transcript: { without: { code: 'speech_no_engine' } } },
    ],
    ['has an engine that fails', client(lacking('engine_failed')), { lost: 'unavailable' }],
    [
      'hears nobody',
      client({ ...lacking('no_words'), degraded: [], voice: { voiced_seconds: 0, stretches: [] } }),
      { transcript: { words: [], without: { code: 'nothing_said' } } },
    ],
    [
      'hears a voice and no words',
      client(lacking('no_words')),
      { transcript: { words: [], without: { code: 'speech_no_words' } } },
    ],
    [
      'has an engine for another language alone',
      client(lacking('language_unknown')),
      { transcript: { words: [], without: { code: 'speech_language_unknown' } } },
    ],
    [
      'has times for the whole alone',
      client({ ...ANSWER, segments: [] }),
      { transcript: { words: [{ endSec: 12 }] } },
    ],
    ['lies', client('{"text": 7}'), { lost: 'invalid_answer' }],
    ['hangs', client('', { lost: 'timeout' }), { lost: 'timeout' }],
    ['sees no sound', client('', { refused: 'no_sound' }), { refused: { code: 'recording_without_sound' } }],
    ['refuses', client('', { refused: 'odd' }), { refused: { code: 'recording_not_examined' } }],
  ])('that %s', async (_name, asked, expected) => {
    expect(await ask(asked)).toMatchObject(expected);
  });

  it('that drips its answer is left when the time for such a recording is up', async () => {
    let drops = 0;
    const server = createServer((request, response) => {
      const drop = () => void response.write(' ', () => drops++);
      request.resume().once('end', () => {
        drop();
        setInterval(drop, 250);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const clock = startManualClock();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const service = createClient(speech, { name: 'speech', url, timeoutMs: 2_000 });
    try {
      let outcome: SpeechOutcome | undefined;
      void ask(service).then((told) => {
        outcome = told;
      });
      await until(() => drops > 0);
      // 45 s and three quarters of its 12 s, in steps between which the drops arrive.
      for (let seconds = 0; seconds < 70 && outcome === undefined; seconds += 1) {
        await clock.advance(1_000);
        await pause(5);
      }
      expect(outcome).toEqual({ lost: 'timeout' });
      expect(drops).toBeGreaterThan(4 * 40);
    } finally {
      clock.restore();
      await service.close();
      server.closeAllConnections();
      server.close();
    }
  });
});
