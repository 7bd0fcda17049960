/** An event as it stands in the stream. */
export interface ParsedEvent {
  readonly event: string;
  readonly data: string;
  /** The last id that the stream has named; undefined before the first. */
  readonly id: string | undefined;
}

/** An event larger than the reader allows. */
export class EventTooLargeError extends Error {}

/** A line and what follows it; undefined while its end has not come. A CR at the very end may be half of CR LF. */
function nextLine(text: string): { line: string; rest: string } | undefined {
  const end = /\r\n|\n|\r(?!$)/.exec(text);
  if (end === null) return undefined;
  return { line: text.slice(0, end.index), rest: text.slice(end.index + end[0].length) };
}

/** Reads text/event-stream (the WHATWG standard, "Server-sent events"); comments and unknown fields are passed over. */
export async function* parseEvents(
  pieces: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<ParsedEvent> {
  const decoder = new TextDecoder();
  let text = '';
  let event = '';
  let data: string[] = [];
  let length = 0;
  let id: string | undefined;
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    for (let next = nextLine(text); next !== undefined; next = nextLine(text)) {
      text = next.rest;
      const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(next.line) ?? [];
      if (next.line === '') {
        if (data.length > 0) yield { event: event || 'message', data: data.join('\n'), id };
        event = '';
        data = [];
        length = 0;
      } else if (field === 'event') event = value;
      else if (field === 'id' && !value.includes('\0')) id = value;
      else if (field === 'data') {
        data.push(value);
        length += value.length;
      }
    }
    if (length + text.length > maxLength) throw new EventTooLargeError('the event is too large');
  }
}
