import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const event = (content: string) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'seer', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

/** A vision server that streams an answer, or breaks off in the middle of it. */
export async function startStreamingServer() {
  let breaksOff = false;
  const server = createServer(async (request, response) => {
    await request.resume().toArray();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event('A teal'));
    if (breaksOff) setTimeout(() => response.destroy(), 20);
    else response.end(`${event(' field.')}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    breakOff: () => {
      breaksOff = true;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
