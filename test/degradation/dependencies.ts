/** What is analysed while a dependency fails. */
export type Content = 'text' | 'page' | 'picture' | 'sound' | 'film';

/** One dependency that the pipeline calls: a row of the table. */
export interface Dependency {
  readonly name: string;
  readonly protocol: 'http' | 'other';
  /** The content whose analysis asks it. */
  readonly content: Content;
  /** The settings that lead the platform to it through a port of this machine. */
  settings(port: number, databaseUrl: string): Readonly<Record<string, string>>;
  /**
   * `named`: the session completes, names it, and is less sure. `unseen`: the session completes as always, since the process does
   * without it. `refused`: nothing can be accepted, which is 503 with Retry-After.
   */
  readonly effect: 'named' | 'unseen' | 'refused';
  /** The dependency without which this one is not asked at all. */
  readonly behind?: string;
  /** The check of deep health that shows it, and as what; absent when none does. */
  readonly check?: readonly [name: string, status: 'unknown' | 'unhealthy'];
}

const http = (setting: string) => (port: number) => ({ [setting]: `http://127.0.0.1:${port}` });

/** The dependencies that the pipeline calls today; a dependency joins in the change that first calls it. */
export const DEPENDENCIES: readonly Dependency[] = [
  {
    name: 'llm',
    protocol: 'http',
    content: 'text',
    settings: http('LLM_URL'),
    effect: 'named',
    check: ['llm', 'unknown'],
  },
  { name: 'web', protocol: 'http', content: 'page', settings: http('WEB_URL'), effect: 'named' },
  {
    name: 'domain_check',
    protocol: 'http',
    content: 'page',
    settings: http('DOMAIN_CHECK_URL'),
    effect: 'named',
    check: ['domain_check', 'unknown'],
  },
  {
    name: 'brain',
    protocol: 'http',
    content: 'text',
    settings: http('BRAIN_URL'),
    effect: 'named',
    check: ['brain', 'unknown'],
  },
  {
    // Without vectors our own engine judges no evidence; equal claims and words are still found.
    name: 'embeddings',
    protocol: 'http',
    content: 'text',
    settings: http('EMBEDDINGS_URL'),
    effect: 'unseen',
  },
  {
    // The order of passages is then our own; the stage of the gathering says so.
    name: 'reranking',
    protocol: 'http',
    content: 'text',
    settings: http('RERANKING_URL'),
    effect: 'unseen',
  },
  {
    name: 'objects',
    protocol: 'http',
    content: 'picture',
    settings: (port) => ({
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    }),
    effect: 'named',
  },
  {
    name: 'extractors',
    protocol: 'http',
    content: 'picture',
    settings: http('EXTRACTORS_URL'),
    effect: 'named',
    behind: 'forensic',
    check: ['extractors', 'unknown'],
  },
  {
    name: 'forensic',
    protocol: 'http',
    content: 'picture',
    settings: http('FORENSIC_URL'),
    effect: 'named',
    behind: 'objects',
    check: ['forensic', 'unknown'],
  },
  {
    // Only a model of the operator judges: that there is none has to be heard from the service.
    name: 'vision',
    protocol: 'http',
    content: 'picture',
    settings: http('VISION_URL'),
    effect: 'named',
    behind: 'forensic',
    check: ['vision', 'unknown'],
  },
  {
    name: 'speech',
    protocol: 'http',
    content: 'sound',
    settings: http('SPEECH_URL'),
    effect: 'named',
    behind: 'objects',
    check: ['speech', 'unknown'],
  },
  {
    name: 'video',
    protocol: 'http',
    content: 'film',
    settings: http('VIDEO_URL'),
    effect: 'named',
    behind: 'objects',
    check: ['video', 'unknown'],
  },
  {
    // The configuration store is rows of the same database.
    name: 'database',
    protocol: 'other',
    content: 'text',
    settings: (port, url) => ({ DATABASE_URL: Object.assign(new URL(url), { port: String(port) }).href }),
    effect: 'refused',
    check: ['database', 'unhealthy'],
  },
  {
    name: 'broker',
    protocol: 'other',
    content: 'text',
    settings: (port) => ({ AMQP_URL: `amqp://guest:guest@127.0.0.1:${port}` }),
    effect: 'unseen',
    check: ['broker', 'unhealthy'],
  },
  {
    name: 'redis',
    protocol: 'other',
    content: 'text',
    settings: (port) => ({ REDIS_URL: `redis://127.0.0.1:${port}` }),
    effect: 'unseen',
    check: ['cache', 'unhealthy'],
  },
  {
    // Key sets are kept: who was known stays known.
    name: 'identity',
    protocol: 'http',
    content: 'text',
    settings: http('IDENTITY_URL'),
    effect: 'unseen',
  },
];
