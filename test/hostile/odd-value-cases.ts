import { hasFfmpeg } from '../media/ffmpeg.ts';

/** A small picture in base64. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAD0lEQVQI12NowAEYhpYEAILzYAGUMxmUAAAAAElFTkSuQmCC';

/** A request with an odd value. */
interface Case {
  readonly name: string;
  readonly service: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Statuses that say what is wrong; without them any answer but a failure of the service. */
  readonly told?: readonly number[];
}

const LONE = '\ud800';
const NAMES = [
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '\0',
  'x'.repeat(256),
  LONE,
  ' limpede-encoder-1',
  'ａ',
];
const named = (service: string, url: string, body: object): Case[] =>
  NAMES.map((model) => ({
    name: `${service}: the model ${JSON.stringify(model).slice(0, 30)}`,
    service,
    url,
    body: { ...body, model },
    told: [404, 422],
  }));

const PICTURE = {
  messages: [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] },
  ],
};
const addressed = (url: string): Case => ({
  name: `vision: a picture at ${url.slice(0, 40)}`,
  service: 'vision',
  url: '/v1/chat/completions',
  body: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
  told: [400],
});

const objectCase = (bucket: string, key: string, told = [404, 422]): Case => ({
  name: `extractors: the object ${JSON.stringify(`${bucket}/${key}`).slice(0, 40)}`,
  service: 'extractors',
  url: '/v1/metadata',
  body: { object: { bucket, object_key: key } },
  told,
});

interface Part {
  readonly name: string;
  readonly value: string;
  readonly file?: boolean;
}
const multipart = (
  service: string,
  url: string,
  name: string,
  parts: readonly Part[],
  told: number[],
): Case => ({
  name: `${service}: a form with ${name}`,
  service,
  url,
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: `${parts
    .map(
      (part) =>
        `--b\r\ncontent-disposition: form-data; name="${part.name}"${part.file === true ? '; filename="a"' : ''}\r\n\r\n${part.value}\r\n`,
    )
    .join('')}--b--\r\n`,
  told,
});
const FILE: Part = { name: 'file', value: 'no medium', file: true };
/** What a file is told that is no medium: what is wrong with it, or with the machine where nothing reads recordings. */
const unread = (withoutFfmpeg: number) => (hasFfmpeg ? 400 : withoutFfmpeg);
const FORMS: readonly (readonly [service: string, url: string, invalid: number, noMedium: number])[] = [
  ['forensic', '/v1/analyze', 422, 400],
  ['forensic', '/v1/analyze/recording', 422, unread(503)],
  ['extractors', '/v1/ocr', 422, 400],
  ['speech', '/v1/audio/transcriptions', 422, unread(503)],
  ['video', '/analyze/video/semantic', 400, unread(500)],
];

/** Odd requests to every service. */
export const CASES: readonly Case[] = [
  ...[
    'from=0000-01-01T00:00:00Z&to=0000-01-02T00:00:00Z',
    'provider=%00',
    'model=%ED%A0%80',
    'by=day&from=9999-12-30T00:00:00Z&to=9999-12-31T00:00:00Z',
  ].map((query) => ({
    name: `dashboard: figures by ${query}`,
    service: 'dashboard',
    method: 'GET' as const,
    url: `/api/stats/providers?${query}`,
  })),
  ...[
    'actor=%00',
    'key=%00',
    'from=0000-01-01T00:00:00Z',
    'to=9999-12-31T23:59:59Z',
    'page=100000&limit=100',
    'page=1e2',
    'limit=0x10',
    'key=a&key=b',
  ].map((query) => ({
    name: `dashboard: the audit by ${query}`,
    service: 'dashboard',
    method: 'GET' as const,
    url: `/audit?${query}`,
  })),
  ...['9007199254740991', '2147483648', '1e3', '-1', '0x7fffffffffffff', 'NaN'].map((after) => ({
    name: `dashboard: changes after ${after}`,
    service: 'dashboard',
    method: 'GET' as const,
    url: `/api/config/changes?after=${after}`,
  })),
  ...['%00', '__proto__', 'constructor', 'llm.retries%00', '%ED%A0%80'].map((key) => ({
    name: `dashboard: the value ${key}`,
    service: 'dashboard',
    method: 'PUT' as const,
    url: `/api/config/${key}`,
    body: { value: 1 },
    told: [400, 404, 422],
  })),
  ...['\0', LONE, `A${'\u0000'}b`, '\u202e', '𝕏'.repeat(400)].flatMap((odd): Case[] => [
    {
      name: `brain: the claim ${JSON.stringify(odd).slice(0, 20)}`,
      service: 'brain',
      url: '/v1/gather',
      body: { claim: `Vaccines ${odd} work.` },
    },
    {
      name: `brain: the claim ${JSON.stringify(odd).slice(0, 20)} alone`,
      service: 'brain',
      url: '/v1/gather',
      body: { claim: odd },
    },
    {
      name: `brain: the query ${JSON.stringify(odd).slice(0, 20)}`,
      service: 'brain',
      url: '/v1/gather',
      body: { claim: 'Vaccines work.', search_queries: [odd] },
    },
    {
      name: `brain: forgets ${JSON.stringify(odd).slice(0, 20)}`,
      service: 'brain',
      url: '/v1/cache/invalidate',
      body: { claim: odd, reason: odd },
    },
  ]),
  {
    name: 'brain: facts that are due, 1e2 of them',
    service: 'brain',
    method: 'GET',
    url: '/v1/fact_status/due_for_recheck?limit=1e2',
  },
  {
    name: 'brain: a fact of another form',
    service: 'brain',
    method: 'GET',
    url: '/v1/facts/%00',
    told: [404, 422],
  },
  {
    name: 'brain: a fact that nobody knows',
    service: 'brain',
    method: 'GET',
    url: '/v1/facts/11111111-1111-4111-8111-111111111111',
    told: [404],
  },
  ...named('embeddings', '/v1/embeddings', { input: 'a' }),
  {
    name: 'embeddings: half a character',
    service: 'embeddings',
    url: '/v1/embeddings',
    body: { model: 'limpede-encoder-1', input: [LONE, '\0', '\u2800'] },
  },
  {
    name: 'embeddings: tokens beyond the vocabulary',
    service: 'embeddings',
    url: '/v1/embeddings',
    body: { model: 'limpede-encoder-1', input: [9_007_199_254_740_991] },
    told: [422],
  },
  {
    name: 'embeddings: dimensions beyond all',
    service: 'embeddings',
    url: '/v1/embeddings',
    body: { model: 'limpede-encoder-1', input: 'a', dimensions: 1e15 },
    told: [422],
  },
  ...named('reranking', '/v1/rerank', { query: 'a', documents: ['b'] }),
  {
    name: 'reranking: fields of the prototype',
    service: 'reranking',
    url: '/v2/rerank',
    body: {
      query: 'a',
      documents: [{ text: 'b' }, { __proto__: 1, constructor: 'c' }],
      rank_fields: ['constructor', '__proto__', 'text'],
    },
  },
  {
    name: 'reranking: half characters',
    service: 'reranking',
    url: '/v2/rerank',
    body: { query: LONE, documents: ['\0', LONE, ''] },
  },
  ...named('vision', '/v1/chat/completions', PICTURE),
  ...[
    'http://127.0.0.1:9/a.png',
    'http://169.254.169.254/latest',
    'http://[::ffff:127.0.0.1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://localhost./a',
    'gopher://a/',
    'file:///etc/passwd',
    'data:image/png;base64,',
    'data:text/html;base64,PGI+',
    'data:image/svg+xml;base64,PHN2Zy8+',
    'HTTP://user:secret@127.0.0.1/',
    'http://a..b/',
    `http://${'a'.repeat(300)}/`,
    'http://',
    'https://\u0000/',
  ].map(addressed),
  objectCase('media', 'a', [404]),
  objectCase('media', 'a/b/c', [404]),
  objectCase('media', 'x'.repeat(300), [404]),
  objectCase('media', Array(500).fill('y').join('/'), [404]),
  objectCase('media', `a/${'é'.repeat(200)}`),
  objectCase('..', 'etc/passwd'),
  objectCase('.arriving', 'a'),
  objectCase('media', '../media/a/b'),
  objectCase('media', 'a//b'),
  objectCase('media', 'a/b\0'),
  objectCase('media/a', 'b'),
  {
    name: 'extractors: data and an object',
    service: 'extractors',
    url: '/v1/ocr',
    body: { data: PNG, object: { bucket: 'media', object_key: 'a/b' } },
    told: [422],
  },
  {
    name: 'extractors: an object with more in it',
    service: 'extractors',
    url: '/v1/ocr',
    body: { object: { bucket: 'media', object_key: 'a/b', account: 'x' } },
    told: [422],
  },
  {
    name: 'extractors: names in half a character',
    service: 'extractors',
    url: '/v1/ner',
    body: { text: `${LONE} Maria \0` },
  },
  ...FORMS.flatMap(([service, url, invalid, noMedium]) => [
    multipart(service, url, 'two files', [FILE, FILE], [invalid]),
    multipart(service, url, 'no file', [{ name: 'depth', value: 'quick' }], [invalid]),
    multipart(service, url, 'a file of another name', [FILE, { ...FILE, name: 'path' }], [invalid]),
    multipart(
      service,
      url,
      'a hundred fields',
      [...Array(100).fill({ name: 'x', value: '1' }), FILE],
      [invalid],
    ),
    multipart(service, url, 'a field __proto__', [{ name: '__proto__', value: 'x' }, FILE], [noMedium]),
    multipart(service, url, 'a field that is no text', [FILE, { name: 'file', value: 'x' }], [noMedium]),
    multipart(service, url, 'an empty file', [{ ...FILE, value: '' }], [noMedium]),
  ]),
  multipart(
    'speech',
    '/v1/audio/transcriptions',
    'the model twice',
    [{ name: 'model', value: 'a' }, { name: 'model', value: 'b' }, FILE],
    [422],
  ),
  multipart(
    'video',
    '/analyze/video/semantic',
    'frames without end',
    [{ name: 'frames_per_chunk', value: '1e9' }, FILE],
    [400],
  ),
  multipart(
    'video',
    '/analyze/video/semantic',
    'frames twice',
    [{ name: 'frames_per_chunk', value: '8' }, { name: 'frames_per_chunk', value: '8' }, FILE],
    [400],
  ),
  ...(['embeddings', 'brain', 'vision'] as const).flatMap((service) => {
    const url = { embeddings: '/v1/embeddings', brain: '/v1/gather', vision: '/v1/chat/completions' }[
      service
    ];
    return [
      {
        name: `${service}: a packed body`,
        service,
        url,
        body: '{}',
        headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
        told: [400, 422],
      },
      {
        name: `${service}: another charset`,
        service,
        url,
        body: '{}',
        headers: { 'content-type': 'application/json; charset=utf-16' },
        told: [400, 422],
      },
      { name: `${service}: a list`, service, url, body: [], told: [422] },
      {
        name: `${service}: a thousand lists in each other`,
        service,
        url,
        body: `${'['.repeat(10_000)}${']'.repeat(10_000)}`,
        headers: { 'content-type': 'application/json' },
        told: [400, 422],
      },
      {
        name: `${service}: a share of a thousand letters`,
        service,
        url,
        body: {},
        headers: { 'x-caller-share': 's'.repeat(1000) },
        told: [422],
      },
    ];
  }),
  {
    name: 'catalogue: with a range',
    service: 'catalogue',
    method: 'GET',
    url: '/v1/status?x=%00',
    headers: { range: 'bytes=0-1' },
  },
];
