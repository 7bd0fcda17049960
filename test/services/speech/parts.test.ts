import { describe, expect, it } from 'vitest';
import { writeTranscript } from '../../../src/services/speech/formats.ts';
import { languageCode } from '../../../src/services/speech/language-codes.ts';
import { piecesOf, wavOf } from '../../../src/services/speech/pieces.ts';
import { joinPieces, type PieceTranscript } from '../../../src/services/speech/transcript.ts';

const unknown = { temperature: null, meanLogProbability: null, noSpeechProbability: null };
const pieceTranscript = (text: string, parts: Partial<PieceTranscript> = {}): PieceTranscript => ({
  text,
  language: null,
  segments: null,
  words: null,
  ...parts,
});

describe('the language that an engine names', () => {
  it.each([
    ['english', 'en'],
    ['Romanian', 'ro'],
    ['hebrew', 'he'],
    ['de', 'de'],
    ['pt-BR', 'pt'],
    ['haw', 'haw'],
    ['und', null],
    ['', null],
    [undefined, null],
    ['klingon of the north', null],
  ])('%s is %s', (written, expected) => {
    expect(languageCode(written)).toBe(expected);
  });
});

describe('pieces', () => {
  it('hold voices that are near, and are cut between them', () => {
    const stretches = [
      { startSec: 1, endSec: 20 },
      { startSec: 22, endSec: 40 },
      { startSec: 41, endSec: 55 },
      { startSec: 90, endSec: 95 },
    ];
    expect(piecesOf(stretches, 40)).toEqual([
      { startSec: 1, endSec: 40 },
      { startSec: 41, endSec: 55 },
      { startSec: 90, endSec: 95 },
    ]);
  });

  it('are cut at the limit where a voice goes on', () => {
    expect(piecesOf([{ startSec: 5, endSec: 30 }], 10)).toEqual([
      { startSec: 5, endSec: 15 },
      { startSec: 15, endSec: 25 },
      { startSec: 25, endSec: 30 },
    ]);
  });

  it('are WAV files', () => {
    const samples = Float32Array.of(0, 0.5, -1, 2, 0);
    const wav = wavOf({ rate: 2, samples }, { startSec: 0.5, endSec: 2 });
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    expect(wav.readUInt32LE(24)).toBe(2);
    expect([44, 46, 48].map((at) => wav.readInt16LE(at))).toEqual([16_384, -32_768, 32_767]);
    expect(wav).toHaveLength(50);
  });
});

describe('a transcript', () => {
  it('counts times from the start of the recording, and stays within its pieces', () => {
    const { text, segments, words, language, hasSegments } = joinPieces([
      {
        startSec: 10,
        endSec: 20,
        transcript: pieceTranscript(' Prima. ', {
          language: 'ro',
          segments: [{ text: 'Prima.', startSec: 0.5, endSec: 30, ...unknown }],
          words: [{ word: 'Prima.', startSec: 0.5, endSec: 1 }],
        }),
      },
      {
        startSec: 40,
        endSec: 45,
        transcript: pieceTranscript('A doua propoziție.', {
          language: 'ro',
          words: [{ word: 'A', startSec: 0, endSec: 1 }],
        }),
      },
    ]);
    expect(text).toBe('Prima. A doua propoziție.');
    expect(language).toBe('ro');
    expect(hasSegments).toBe(false);
    expect(segments).toMatchObject([
      { startSec: 10.5, endSec: 20 },
      { text: 'A doua propoziție.', startSec: 40, endSec: 45 },
    ]);
    expect(words?.map(({ startSec }) => startSec)).toEqual([10.5, 40]);
  });

  it('has no words when a piece has none', () => {
    expect(joinPieces([{ startSec: 0, endSec: 1, transcript: pieceTranscript('a') }]).words).toBeNull();
  });

  const plain = {
    text: 'One two.',
    language: 'en',
    duration: 3_700,
    engine: null,
    voice: { voiced_seconds: 0, stretches: [] },
    degraded: [],
  };
  const transcript = {
    text: 'One two.',
    language: 'en',
    segments: [
      { text: 'One --> evil\n\n2', startSec: 0.0004, endSec: 1.2, ...unknown },
      { text: ' two. ', startSec: 3_661.5, endSec: 3_662.0306, ...unknown },
    ],
    words: null,
    hasSegments: true,
  };

  it.each([
    ['text', 'One two.\n'],
    ['srt', '1\n00:00:00,000 --> 00:00:01,200\nOne -> evil 2\n\n2\n01:01:01,500 --> 01:01:02,031\ntwo.\n\n'],
    [
      'vtt',
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.200\nOne -> evil 2\n\n01:01:01.500 --> 01:01:02.031\ntwo.\n\n',
    ],
  ] as const)('is written as %s', (format, expected) => {
    expect(writeTranscript(format, plain, transcript, false).content).toBe(expected);
  });

  it('is written as WebVTT without any cue, too', () => {
    expect(writeTranscript('vtt', plain, { ...transcript, segments: [] }, false).content).toBe('WEBVTT\n\n');
  });
});
