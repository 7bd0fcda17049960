import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A question as it was received. */
export interface Asked {
  readonly model: string;
  readonly messages: readonly {
    content: string | { type: string; text?: string; image_url?: { url: string } }[];
  }[];
  readonly response_format?: object;
}

/** A chat server that answers what a test says. */
export async function startChat(model: string) {
  const state = {
    asked: [] as Asked[],
    model,
    answer: (_question: Asked): [number, string] => [200, ''],
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    response.setHeader('content-type', 'application/json');
    if (request.url === '/v1/models') {
      response.end(JSON.stringify({ object: 'list', data: state.model === '' ? [] : [{ id: state.model }] }));
      return;
    }
    const question: Asked = JSON.parse(Buffer.concat(parts).toString());
    state.asked.push(question);
    const [status, content] = state.answer(question);
    response.statusCode = status;
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    response.end(JSON.stringify({ model: state.model, choices: [{ message: { content } }], usage }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The pictures of a question. */
export const picturesOf = ({ messages }: Asked): string[] =>
  messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .flatMap(({ image_url: picture }) => (picture === undefined ? [] : [picture.url]));
