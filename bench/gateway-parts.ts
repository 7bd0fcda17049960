// Parties of the comparison, each in a process of its own: `upstream PORT` answers a small JSON to everything, `bare PORT
// UPSTREAM` is a proxy of Node's own modules and nothing else, `http-proxy PORT UPSTREAM` is @fastify/http-proxy as documented.
import { Agent, request as ask, createServer } from 'node:http';
import httpProxy from '@fastify/http-proxy';
import { fastify } from 'fastify';

const HOST = '127.0.0.1';
const [role, port, upstream = ''] = process.argv.slice(2);

const body = Buffer.from(
  JSON.stringify({
    success: true,
    data: { items: Array.from({ length: 8 }, (_, id) => ({ id, name: 'an item' })) },
  }),
);

function startUpstream(): void {
  createServer((request, response) => {
    request.resume();
    request.once('end', () =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
        .end(body),
    );
  }).listen(Number(port), HOST);
}

function startBare(): void {
  const { hostname, port: to } = new URL(upstream);
  const agent = new Agent({ keepAlive: true });
  createServer((request, response) => {
    const { method, url, headers } = request;
    const forwarded = ask({ hostname, port: to, method, path: url, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  }).listen(Number(port), HOST);
}

async function startHttpProxy(): Promise<void> {
  const app = fastify();
  await app.register(httpProxy, { upstream, prefix: '/agent-v3' });
  await app.listen({ port: Number(port), host: HOST });
}

if (role === 'upstream') startUpstream();
else if (role === 'bare') startBare();
else await startHttpProxy();
