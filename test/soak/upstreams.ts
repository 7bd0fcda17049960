import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Play = (request: IncomingMessage, response: ServerResponse) => void;

const ARTICLE = `<html lang="en"><head><title>Council approves budget</title></head><body><article><h1>Council approves budget</h1>${'<p>The city council approved a budget of 12 million euros for buses on Tuesday, according to minutes published by the clerk.</p>'.repeat(8)}</article></body></html>`;
const COMPLETION = {
  id: '1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'I cannot say.' } }],
  usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 },
};

const well: Play = ({ url = '' }, response) => {
  if (!url.startsWith('/v1/'))
    return void response.writeHead(200, { 'content-type': 'text/html' }).end(ARTICLE);
  const body = url.endsWith('/models')
    ? { object: 'list', data: [{ id: 'm', object: 'model' }] }
    : COMPLETION;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const refuses: Play = (_request, response) => void response.writeHead(500).end('no');
const cuts: Play = (request) => void request.socket.destroy();
const rubbish: Play = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices": [');
};
/** Answers late, byte by byte, until it is left. */
const drips: Play = (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  const timer = setInterval(() => response.write(' '), 500);
  response.once('close', () => clearInterval(timer));
};
const MOODS: readonly Play[] = [well, refuses, well, cuts, well, rubbish, well, drips];

/** A server of pages and of a text model whose mood changes every so many milliseconds; every other one is good. */
export async function startUpstream(moodMs: number) {
  let mood = 0;
  const server = createServer((request, response) => {
    request.resume();
    (MOODS[mood % MOODS.length] ?? well)(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const timer = setInterval(() => {
    mood += 1;
  }, moodMs);
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    close: () => {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
    },
  };
}
