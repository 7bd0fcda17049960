// The other two parties of the comparison, each in a process of its own: `upstream PORT` answers from prebuilt bytes,
// `bare PORT UPSTREAM` hands every request on and does nothing else: the floor of what a gateway in Node can cost.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';

const [role, port, upstream] = process.argv.slice(2);
const EVENTS = 20;
const EVENT_MS = 10;
const HOST = '127.0.0.1';

const plain = Buffer.from(
  JSON.stringify({
    id: 'bench',
    object: 'chat.completion',
    created: 1,
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', content: 'x'.repeat(64) }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 20, total_tokens: 29 },
  }),
);
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: 'bench', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const content = Buffer.from(chunk({ content: 'Lorem ipsum dolo' }, null));
const end = Buffer.from(`${chunk({}, 'stop')}data: [DONE]\n\n`);

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  const timer = setInterval(() => {
    if (sent++ < EVENTS) response.write(content);
    else {
      clearInterval(timer);
      response.end(end);
    }
  }, EVENT_MS);
  response.on('close', () => clearInterval(timer));
}

function body(request: IncomingMessage, done: (bytes: Buffer) => void): void {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => done(Buffer.concat(parts)));
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  body(request, (bytes) => {
    if (request.method === 'GET') response.end('{"object":"list","data":[{"id":"bench"}]}');
    else if (bytes.includes('"stream":true')) stream(response);
    else {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': plain.length });
      response.end(plain);
    }
  });
}

const pool = upstream === undefined ? undefined : new Pool(upstream, { pipelining: 1 });

function pass(request: IncomingMessage, response: ServerResponse): void {
  body(request, (bytes) => {
    const { method, url } = request;
    const headers = { 'content-type': 'application/json' };
    void pool?.stream(
      { path: url ?? '/', method: method as 'POST', headers, body: bytes.length > 0 ? bytes : null },
      ({ statusCode, headers: given }) => {
        response.writeHead(statusCode, { 'content-type': String(given['content-type']) });
        return response;
      },
    );
  });
}

const server = createServer(role === 'bare' ? pass : answer);
server.listen(Number(port), HOST);
process.once('SIGTERM', () => process.exit(0));
