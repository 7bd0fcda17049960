import { portsOfServices } from '../main.ts';

/** What people should know of a service before they look into it. */
interface ServiceWords {
  readonly role: string;
  /** What it works with when nothing is set up. */
  readonly embedded: string;
  /** What takes its place on many machines, or for better answers. */
  readonly atScale: string;
  /** What to do when something of it is missing. */
  readonly remedy: string;
}

const WORDS: Readonly<Record<string, ServiceWords>> = {
  gateway: {
    role: 'the only public entrance: `/agent-v3/*`, `/realms/*`',
    embedded: 'limits in memory',
    atScale: 'Redis (`REDIS_URL`)',
    remedy: 'start the services that it names, or set their *_URL to none',
  },
  analysis: {
    role: 'intake, components, verdict, sessions, moderation',
    embedded: 'PostgreSQL in WebAssembly, queues in a table, files',
    atScale:
      'PostgreSQL (`DATABASE_URL`), RabbitMQ (`AMQP_URL`), an S3 store (`S3_ENDPOINT`), workers (`--role worker`)',
    remedy: 'see that DATABASE_URL, AMQP_URL and S3_ENDPOINT answer; engines of our own stand in for models',
  },
  llm: {
    role: 'text-model gateway, chat-completions convention',
    embedded: 'none, or llama.cpp after `limpede setup llama`',
    atScale: 'GPU and cloud servers (`LLM_GPU_URL`, `LLM_CLOUD_URL`)',
    remedy:
      'set LLM_GPU_URL, LLM_CLOUD_URL or LLM_CPU_URL, or run `limpede setup llama` and put a GGUF file into models/',
  },
  video: {
    role: 'whether a video is real, and what it shows',
    embedded: 'frames and their times, signed origin, ffmpeg; nothing without a vision model server',
    atScale: 'a vision model server (`VISION_URL`)',
    remedy: 'install ffmpeg; set VISION_URL, or see that it answers',
  },
  web: {
    role: 'search, pages through a guard, article extraction, evidence',
    embedded: 'fetching and an index of your own evidence',
    atScale: 'SearXNG or a search provider (`WEB_SEARXNG_URL`)',
    remedy: 'set WEB_SEARXNG_URL, or import evidence with `limpede evidence import`',
  },
  embeddings: {
    role: 'vectors of texts, English and Romanian in one space',
    embedded: 'packaged encoder in threads, or an ONNX model of yours',
    atScale: 'an embeddings server (`EMBEDDINGS_UPSTREAM_URL`)',
    remedy: 'see that EMBEDDINGS_UPSTREAM_URL answers; reinstall the package when weights are missing',
  },
  reranking: {
    role: 'documents by their relevance for a query, as Cohere and Jina have it',
    embedded: 'words and meaning fused, or an ONNX model of yours',
    atScale: 'a reranking server (`RERANKING_UPSTREAM_URL`)',
    remedy: 'see that RERANKING_UPSTREAM_URL answers; reinstall the package when weights are missing',
  },
  speech: {
    role: 'what is said in a recording',
    embedded:
      'where voices are heard, ffmpeg; words by a model of yours after `limpede setup speech`, or as a hint by pocketsphinx',
    atScale: 'a transcription server (`SPEECH_UPSTREAM_URL`)',
    remedy:
      'install ffmpeg; set SPEECH_UPSTREAM_URL, or run `limpede setup speech` and put a speech model into models/',
  },
  extractors: {
    role: 'what media carry and show: metadata, signed history, text, objects and faces in pictures; names and sentiment of texts',
    embedded: 'readers in threads, tesseract with its data; ffprobe for recordings',
    atScale: 'more processes',
    remedy:
      'install ffmpeg for recordings; `limpede setup recognition` for objects and faces; reinstall the package when anything else is missing',
  },
  forensic: {
    role: 'traces of editing and generation in pictures and sound',
    embedded: 'detectors of our own; pictures are decoded in processes that end with them',
    atScale: 'more processes',
    remedy:
      'install ffmpeg for recordings; install bubblewrap for the strongest sandbox; reinstall the package when anything else is missing',
  },
  vision: {
    role: 'chats with pictures, chat-completions convention',
    embedded: 'a describer, which tells what can be measured of a picture',
    atScale: 'a vision server (`VISION_UPSTREAM_URL`)',
    remedy: 'set VISION_UPSTREAM_URL and VISION_MODEL',
  },
  brain: {
    role: 'verification cache: what was checked before',
    embedded: 'PostgreSQL in WebAssembly',
    atScale: 'PostgreSQL (`DATABASE_URL`)',
    remedy: 'see that DATABASE_URL answers',
  },
  dashboard: {
    role: 'for staff, `/agent-v3/dashboard`: use of models, live configuration, audit',
    embedded: 'PostgreSQL in WebAssembly',
    atScale: 'PostgreSQL (`DATABASE_URL`)',
    remedy:
      'see that DATABASE_URL answers; a stored value that does not fit is set anew with PUT /api/config/{key}',
  },
  domain_check: {
    role: 'lists, ratings, name, registration, DNS, certificate',
    embedded: 'packaged lists; registries and name servers live',
    atScale: 'other servers (`DOMAIN_RDAP_URL`, `DOMAIN_WHOIS_SERVER`, `DOMAIN_RESOLVERS`)',
    remedy: 'set DOMAIN_RESOLVERS to name servers that answer, or DOMAIN_LIVE=false',
  },
  catalogue: {
    role: 'for staff, `/agent-v3/catalogue/v1/status`: every service as it is now',
    embedded: 'memory',
    atScale: 'the same',
    remedy: 'start the services that it names',
  },
  identity: {
    role: 'OpenID Connect with the realms `clients` and `admins`',
    embedded: 'a provider in the process, PostgreSQL in WebAssembly',
    atScale: 'Keycloak or another provider (`AUTH_CLIENTS_ISSUER`, `AUTH_ADMINS_ISSUER`)',
    remedy: 'see that DATABASE_URL answers, or name an issuer of yours',
  },
};

/** A service of this installation with its port. */
export interface ServiceRow extends ServiceWords {
  readonly name: string;
  readonly port: number;
}

/** Every service that exists, in the order of ports. */
export function serviceRows(): ServiceRow[] {
  return portsOfServices().map(({ name, port }) => {
    const words = WORDS[name];
    if (words === undefined) throw new Error(`nothing is said of the service ${name}`);
    return { name, port, ...words };
  });
}

/** The table of README. */
export function serviceTable(): string[] {
  const rows = serviceRows().map(
    ({ name, port, role, embedded, atScale }) => `| ${name} | ${port} | ${role} | ${embedded} | ${atScale} |`,
  );
  return [
    '| Service | Port | Role | Engine in one process | Engine at scale |',
    '|---|---|---|---|---|',
    ...rows,
  ];
}
