import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventScanner, EventTooLarge } from '../../../../src/services/llm/wire/event-scanner.ts';
import { codePoint } from '../../../code-points.ts';

const LIMIT = 1024 * 1024;

function chunkEvent(delta: unknown, finish: string | null = null): string {
  return JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });
}

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const usageEvent = JSON.stringify({ choices: [], usage });

/** Cuts bytes at the given places, in any order and number: packets as a network may deliver them. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

function feed(scanner: EventScanner, packets: readonly Buffer[]): string {
  return Buffer.concat(packets.flatMap((packet) => scanner.push(packet) ?? [])).toString();
}

const lineEnd = fc.constantFrom('\n', '\r\n');
const text = fc.string({ unit: codePoint, maxLength: 40 });
const event = fc.oneof(
  text.map((content) => `data: ${chunkEvent({ content })}`),
  text.map((content) => `data:${chunkEvent({ content, tool: '"finish_reason":"stop"' })}`),
  fc.constant(': PROCESSING'),
  fc.constant('event: message\ndata: {"choices":[]}'),
  text.map((content) => `id: 4\ndata: ${chunkEvent({ content })}`),
  fc.constant('retry: 100'),
);

describe('EventScanner', () => {
  it('passes whole events byte for byte, however the network cuts them', () => {
    fc.assert(
      fc.property(fc.array(event), lineEnd, fc.array(fc.nat()), (events, end, places) => {
        const stream = events.map((one) => one.replaceAll('\n', end) + end + end).join('');
        const scanner = new EventScanner(false, LIMIT);
        expect(feed(scanner, cut(Buffer.from(stream), places))).toBe(stream);
        expect(scanner.remainder()).toBeUndefined();
        expect(scanner.finished).toBe(false);
        const data = events.filter((one) => one.includes('data:')).length;
        expect(scanner.events).toBe(data);
      }),
    );
  });

  it('sees finish, usage and [DONE], and hides the usage event that the caller did not ask for', () => {
    fc.assert(
      fc.property(fc.boolean(), lineEnd, fc.array(fc.nat()), (hide, end, places) => {
        const parts = [chunkEvent({ content: 'ü😀' }), chunkEvent({}, 'stop'), usageEvent, '[DONE]'];
        const lines = parts.map((part) => `data: ${part}${end}${end}`);
        const scanner = new EventScanner(hide, LIMIT);
        const passed = feed(scanner, cut(Buffer.from(lines.join('')), places));
        expect(passed).toBe(lines.filter((_, index) => !hide || index !== 2).join(''));
        expect(scanner).toMatchObject({ finished: true, done: true, events: 2, failed: false });
        expect(scanner.usage).toEqual({ promptTokens: 7, completionTokens: 3, cost: null });
      }),
    );
  });

  it.each([
    ['no finish in a null', `data: ${chunkEvent({ content: 'x' })}\n\n`, { finished: false }],
    ['a finish with spaces', 'data: {"choices": [{"finish_reason": "length"}]}\n\n', { finished: true }],
    [
      'no finish inside a text',
      `data: ${chunkEvent({ content: '"finish_reason":"stop"' })}\n\n`,
      { finished: false },
    ],
    [
      'the finish of a later choice',
      `data: {"choices":[{"finish_reason":null},{"finish_reason":"stop"}]}\n\n`,
      { finished: true },
    ],
    ['an error event', 'data: {"error":{"message":"no"}}\n\n', { failed: true, events: 1 }],
    ['no error in a text', `data: ${chunkEvent({ content: '{"error":1}' })}\n\n`, { failed: false }],
    ['an event that breaks off in its first key', 'data: {"\n\n', { failed: false, events: 1 }],
    ['an end without a space', 'data:[DONE]\n\n', { done: true, events: 0 }],
    ['a null usage', 'data: {"choices":[],"usage":null}\n\n', { usage: undefined, events: 1 }],
    ['comments are no events', ': a\n\n: b\n\n', { events: 0 }],
  ])('knows %s', (_name, stream, expected) => {
    const scanner = new EventScanner(true, LIMIT);
    scanner.push(Buffer.from(stream));
    expect(scanner).toMatchObject(expected);
  });

  it('keeps a usage that comes together with content', () => {
    const stream = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x' } }], usage })}\n\n`;
    const scanner = new EventScanner(true, LIMIT);
    expect(scanner.push(Buffer.from(stream))?.toString()).toBe(stream);
    expect(scanner.usage?.promptTokens).toBe(7);
  });

  it('holds an unfinished event back', () => {
    const scanner = new EventScanner(false, LIMIT);
    expect(scanner.push(Buffer.from('data: {"a":1}\n\ndata: {"b"'))?.toString()).toBe('data: {"a":1}\n\n');
    expect(scanner.remainder()?.toString()).toBe('data: {"b"');
  });

  it('refuses an event beyond the limit', () => {
    const scanner = new EventScanner(false, 100);
    expect(() => scanner.push(Buffer.alloc(101, 0x61))).toThrow(EventTooLarge);
  });
});
