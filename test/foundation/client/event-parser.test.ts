import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParsedEvent, parseEvents } from '../../../src/foundation/client/event-parser.ts';

async function parse(
  text: string | Uint8Array,
  sizes: number[] = [1_000_000],
  most = 1000,
): Promise<ParsedEvent[]> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  async function* pieces() {
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const size = sizes[turn % sizes.length] ?? 1;
      yield bytes.subarray(at, at + size);
      at += size;
    }
  }
  const events: ParsedEvent[] = [];
  for await (const event of parseEvents(pieces(), most)) events.push(event);
  return events;
}

describe('a stream of events', () => {
  it.each<[string, ParsedEvent[]]>([
    ['data: a\n\n', [{ event: 'message', data: 'a', id: undefined }]],
    ['event: x\ndata:a\nid: 1\n\n', [{ event: 'x', data: 'a', id: '1' }]],
    ['data:  a\ndata: b\ndata\n\n', [{ event: 'message', data: ' a\nb\n', id: undefined }]],
    ['event: x\n\ndata: a\n\n', [{ event: 'message', data: 'a', id: undefined }]],
    [': comment\nretry: 5\nother: x\ndata: a\n\n', [{ event: 'message', data: 'a', id: undefined }]],
    [
      'id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n',
      [
        { event: 'message', data: 'a', id: '1' },
        { event: 'message', data: 'b', id: '1' },
        { event: 'message', data: 'c', id: '' },
      ],
    ],
    [
      'data: a\r\n\r\ndata: b\r\rdata: c\n\n',
      ['a', 'b', 'c'].map((data) => ({ event: 'message', data, id: undefined })),
    ],
    ['data: not ended\n', []],
    ['', []],
  ])('%j', async (text, events) => {
    expect(await parse(text)).toEqual(events);
  });

  it('is the same however it is cut', async () => {
    const text = 'event: ș\r\ndata: {"ț":"👍"}\r\nid: 7\r\n\r\n: x\r\n\r\ndata: a\ndata: b\n\n';
    const whole = await parse(text);
    expect(whole).toHaveLength(2);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (sizes) => {
        expect(await parse(text, sizes)).toEqual(whole);
      }),
    );
  });

  it('is given up when an event has no end', async () => {
    await expect(parse(`data: ${'x'.repeat(2000)}`)).rejects.toThrow('too large');
    await expect(parse('data: x\n'.repeat(2000), [100])).rejects.toThrow('too large');
    expect(await parse(`data: ${'x'.repeat(900)}\n\n`.repeat(5), [100])).toHaveLength(5);
  });
});
