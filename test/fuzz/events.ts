import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import {
  EventTooLargeError,
  type ParsedEvent,
  parseEvents,
} from '../../src/foundation/client/event-parser.ts';
import { EventScanner, EventTooLarge } from '../../src/services/llm/wire/event-scanner.ts';
import { cuts, type FuzzTarget, mutated, pieces } from './target.ts';

const EXAMPLES = [
  'data: {"choices":[{"index":0,"delta":{"content":"ü😀"},"finish_reason":null}]}\n\ndata: [DONE]\n\n',
  'event: session.status\ndata: {"status":"running"}\nid: 12\n\n: heartbeat\n\nretry: 2000\n\n',
  'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}\r\n\r\n',
  'data: {"error":{"message":"no","code":500}}\r\n\r\ndata:[DONE]\r\n\r\n',
];
const WORDS = [
  'data:',
  'data: ',
  'event:',
  'id:',
  '\n',
  '\r\n',
  '\r',
  '\n\n',
  '[DONE]',
  '"usage":',
  '"finish_reason":"stop"',
  '"error":{',
  '\u2028',
  '\ufeff',
];
const LIMIT = 4096;

async function* arriving(parts: readonly Buffer[]) {
  yield* parts;
}

/** The events of a stream, and whether it was too large. */
async function parsed(parts: readonly Buffer[]) {
  const events: ParsedEvent[] = [];
  try {
    for await (const event of parseEvents(arriving(parts), LIMIT)) events.push(event);
    return { events, tooLarge: false };
  } catch (error) {
    if (!(error instanceof EventTooLargeError)) throw error;
    return { events, tooLarge: true };
  }
}

/** What a scanner passes on of a stream, and what it saw in it. */
function scanned(parts: readonly Buffer[], hideUsage: boolean) {
  const scanner = new EventScanner(hideUsage, LIMIT);
  const passed: Buffer[] = [];
  try {
    for (const part of parts) passed.push(scanner.push(part) ?? Buffer.alloc(0));
  } catch (error) {
    if (!(error instanceof EventTooLarge)) throw error;
    return 'too large';
  }
  const { events, finished, done, failed, usage } = scanner;
  const rest = scanner.remainder()?.toString('latin1');
  return { passed: Buffer.concat(passed).toString('latin1'), rest, events, finished, done, failed, usage };
}

/** Streams of events: their readers see the same in whatever pieces the bytes come. */
export const events: FuzzTarget = {
  name: 'events',
  open: async () => ({
    property: fc.asyncProperty(mutated(EXAMPLES, WORDS), cuts, fc.boolean(), async (bytes, places, hide) => {
      const parts = pieces(bytes, places);
      const [whole, cut] = [await parsed([bytes]), await parsed(parts)];
      // A stream that grows too large is given up at a place that depends on the pieces; the events before it are the same.
      if (!whole.tooLarge && !cut.tooLarge) deepStrictEqual(cut.events, whole.events);
      const [once, many] = [scanned([bytes], hide), scanned(parts, hide)];
      if (once !== 'too large' && many !== 'too large') deepStrictEqual(many, once);
    }),
    close: async () => undefined,
  }),
};
