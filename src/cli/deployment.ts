import { packageVersion } from '../foundation/files.ts';
import { portsOfServices } from '../main.ts';
import { yamlOf } from './yaml-writer.ts';

/** A service and the port at which it listens in every container. */
interface Place {
  readonly name: string;
  readonly port: number;
}

const MADE = [
  '# Made by `./bin/limpede reference` of the services and ports of the code; a test keeps it true.',
];
/** The settings stand once in the file, and every container refers to them. */
const SETTINGS_ALIAS = '*settings';
/** Host names have no underscore. */
const hostOf = (name: string) => name.replaceAll('_', '-');
/** A value that compose takes from the file .env, and stops without. */
const secret = (name: string) => ['$', `{${name}:?}`].join('');
/** A value of the file .env that may be missing. */
const wish = (name: string) => ['$', `{${name}:-}`].join('');
/** Services that ask for a token, each with the one that our own services send to it. */
const TOKENS = ['WEB', 'EMBEDDINGS', 'RERANKING', 'SPEECH', 'BRAIN'].map((name) => ({
  sent: `${name}_API_TOKEN`,
  asked: `${name}_API_TOKENS`,
}));
/** Where a browser finds Keycloak, and so who issues tokens. */
const KEYCLOAK_PUBLIC = 'http://localhost:8190';
const KEYCLOAK_INSIDE = 'http://keycloak:8080';

/** The addresses of all services, as each service gets them in its environment. */
const peersOf = (places: readonly Place[], host: (name: string) => string) =>
  Object.fromEntries(
    places.map(({ name, port }) => [`${name.toUpperCase()}_URL`, `http://${host(name)}:${port}`]),
  );

function realmSettingsOf(realm: 'clients' | 'admins', issuer: string, inside: string) {
  const prefix = `AUTH_${realm.toUpperCase()}`;
  return {
    [`${prefix}_ISSUER`]: `${issuer}/realms/${realm}`,
    [`${prefix}_JWKS_URL`]: `${inside}/realms/${realm}/protocol/openid-connect/certs`,
    [`${prefix}_AUDIENCE`]: 'limpede',
  };
}

/** The environment of every container of compose.yaml; passwords come from the file .env beside it. */
function composeEnvironment(places: readonly Place[]) {
  return {
    LIMPEDE_HOME: '/data',
    LIMPEDE_HOST: '0.0.0.0',
    LIMPEDE_INTERNAL_HOST: '0.0.0.0',
    LIMPEDE_PUBLIC_URL: 'http://localhost:8080',
    DATABASE_URL: `postgres://limpede:${secret('POSTGRES_PASSWORD')}@postgres:5432/limpede`,
    REDIS_URL: 'redis://redis:6379',
    AMQP_URL: `amqp://limpede:${secret('RABBITMQ_PASSWORD')}@rabbitmq:5672`,
    S3_ENDPOINT: 'http://s3:9000',
    S3_BUCKET: 'limpede',
    S3_ACCESS_KEY_ID: 'limpede',
    S3_SECRET_ACCESS_KEY: secret('S3_PASSWORD'),
    WEB_SEARXNG_URL: 'http://searxng:8080',
    LLM_INTERNAL_TOKEN: secret('LLM_INTERNAL_TOKEN'),
    LLM_API_TOKEN: secret('LLM_INTERNAL_TOKEN'),
    LLM_API_TOKENS: secret('LLM_INTERNAL_TOKEN'),
    GATEWAY_INTERNAL_TOKEN: secret('GATEWAY_INTERNAL_TOKEN'),
    ...Object.fromEntries(
      TOKENS.flatMap(({ sent, asked }) => [sent, asked].map((name) => [name, secret(sent)])),
    ),
    ...realmSettingsOf('clients', KEYCLOAK_PUBLIC, KEYCLOAK_INSIDE),
    ...realmSettingsOf('admins', KEYCLOAK_PUBLIC, KEYCLOAK_INSIDE),
    ...peersOf(places, hostOf),
  };
}

const readyTest = (port: number) => [
  'CMD',
  'node',
  '-e',
  `fetch('http://127.0.0.1:${port}/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))`,
];

/** Engines that others make, each with the check that its image can run. */
function engines() {
  const checked = (test: readonly string[]) => ({
    healthcheck: { test, interval: '10s', timeout: '5s', retries: 12 },
    restart: 'unless-stopped',
  });
  return {
    postgres: {
      image: 'postgres:16-alpine',
      environment: {
        POSTGRES_USER: 'limpede',
        POSTGRES_DB: 'limpede',
        POSTGRES_PASSWORD: secret('POSTGRES_PASSWORD'),
      },
      volumes: ['postgres:/var/lib/postgresql/data'],
      ...checked(['CMD-SHELL', 'pg_isready -U limpede -d limpede']),
    },
    redis: { image: 'redis:7-bookworm', ...checked(['CMD', 'redis-cli', 'ping']) },
    rabbitmq: {
      image: 'rabbitmq:4-management',
      hostname: 'rabbitmq',
      environment: { RABBITMQ_DEFAULT_USER: 'limpede', RABBITMQ_DEFAULT_PASS: secret('RABBITMQ_PASSWORD') },
      volumes: ['rabbitmq:/var/lib/rabbitmq'],
      ...checked(['CMD', 'rabbitmq-diagnostics', 'check_running', '-q']),
    },
    s3: {
      image: 'minio/minio:RELEASE.2024-05-28T17-19-04Z',
      environment: { MINIO_ROOT_USER: 'limpede', MINIO_ROOT_PASSWORD: secret('S3_PASSWORD') },
      entrypoint: ['sh', '-c', 'mkdir -p /data/limpede && exec minio server /data'],
      volumes: ['s3:/data'],
      ...checked(['CMD', 'curl', '-f', 'http://127.0.0.1:9000/minio/health/live']),
    },
    keycloak: {
      image: 'quay.io/keycloak/keycloak:26.1.3',
      command: ['start-dev', '--import-realm'],
      environment: {
        KC_HOSTNAME: KEYCLOAK_PUBLIC,
        KC_BOOTSTRAP_ADMIN_USERNAME: 'admin',
        KC_BOOTSTRAP_ADMIN_PASSWORD: secret('KEYCLOAK_PASSWORD'),
      },
      volumes: ['./keycloak:/opt/keycloak/data/import:ro'],
      ports: ['127.0.0.1:8190:8080'],
      restart: 'unless-stopped',
    },
    searxng: {
      image: 'searxng/searxng:2024.5.17-ec41b5358',
      environment: { SEARXNG_SECRET: secret('SEARXNG_SECRET') },
      volumes: ['./searxng/settings.yml:/etc/searxng/settings.yml:ro'],
      restart: 'unless-stopped',
    },
  };
}

/** What the image may have beside what it always has. */
const BUILD_ARGUMENTS = ['LIMPEDE_OPTIONAL', 'LIMPEDE_PACKAGES'];

/** One service of ours in a container that may write to its volume and to memory alone. */
function container({ name, port }: Place) {
  const waits = ['postgres', 'redis', 'rabbitmq', 's3'].map((engine) => [
    engine,
    { condition: 'service_healthy' },
  ]);
  return {
    image: `limpede:${packageVersion()}`,
    build: {
      context: '..',
      dockerfile: 'deploy/Dockerfile',
      args: Object.fromEntries(BUILD_ARGUMENTS.map((name) => [name, wish(name)])),
    },
    command: ['node', 'dist/limpede.js', 'up', name],
    environment: SETTINGS_ALIAS,
    env_file: [{ path: 'settings.env', required: false }],
    read_only: true,
    tmpfs: ['/tmp'],
    volumes: ['limpede:/data'],
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    depends_on: Object.fromEntries(waits),
    healthcheck: { test: readyTest(port), interval: '15s', timeout: '5s', retries: 8, start_period: '30s' },
    restart: 'unless-stopped',
    ...(name === 'gateway' && { ports: [`127.0.0.1:${port}:${port}`] }),
    // Keycloak is in its place; the profile starts the embedded provider as well.
    ...(name === 'identity' && { profiles: ['embedded-identity'] }),
  };
}

function composeFile(places: readonly Place[]): string {
  const services = Object.fromEntries(places.map((place) => [hostOf(place.name), container(place)]));
  const volumes = Object.fromEntries(['postgres', 'rabbitmq', 's3', 'limpede'].map((name) => [name, {}]));
  const file = {
    name: 'limpede',
    'x-settings': composeEnvironment(places),
    services: { ...engines(), ...services },
    volumes,
  };
  return [...MADE, ...yamlOf(file), '']
    .join('\n')
    .replace('x-settings:', 'x-settings: &settings')
    .replaceAll(JSON.stringify(SETTINGS_ALIAS), SETTINGS_ALIAS);
}

/** Services that hold models or decode media: one picture of 50 megapixels takes 600 MB while it is decoded. */
const HEAVY: ReadonlySet<string> = new Set([
  ...['analysis', 'embeddings', 'extractors', 'forensic', 'reranking', 'speech', 'video', 'vision', 'web'],
]);

/** How a service starts on a cluster, and how much it gets. */
function workload({ name, port }: Place) {
  const heavy = HEAVY.has(name);
  return {
    port,
    arguments: name === 'analysis' ? ['up', name, '--role', 'api'] : ['up', name],
    replicas: ['gateway', 'analysis'].includes(name) ? 2 : 1,
    resources: {
      requests: { cpu: heavy ? '500m' : '100m', memory: heavy ? '512Mi' : '192Mi' },
      limits: { memory: heavy ? '1536Mi' : '512Mi' },
    },
  };
}

/** Secrets of the chart: names of settings whose values stand in a Secret of the cluster. */
const SECRETS = [
  'DATABASE_URL',
  'REDIS_URL',
  'AMQP_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'LLM_INTERNAL_TOKEN',
  'LLM_API_TOKEN',
  'LLM_API_TOKENS',
  'GATEWAY_INTERNAL_TOKEN',
  ...TOKENS.flatMap(({ sent, asked }) => [sent, asked]),
];

function chartValues(places: readonly Place[]): string {
  const issuer = 'https://login.example.org';
  const values = {
    image: { repository: 'limpede', tag: packageVersion(), pullPolicy: 'IfNotPresent' },
    secret: 'limpede',
    secretSettings: SECRETS,
    settings: {
      LIMPEDE_HOME: '/data',
      LIMPEDE_HOST: '0.0.0.0',
      LIMPEDE_INTERNAL_HOST: '0.0.0.0',
      LIMPEDE_PUBLIC_URL: 'https://limpede.example.org',
      S3_ENDPOINT: 'https://s3.example.org',
      S3_BUCKET: 'limpede',
      ...realmSettingsOf('clients', issuer, issuer),
      ...realmSettingsOf('admins', issuer, issuer),
      ...peersOf(places, (name) => `limpede-${hostOf(name)}`),
    },
    services: Object.fromEntries(
      places.filter(({ name }) => name !== 'identity').map((place) => [hostOf(place.name), workload(place)]),
    ),
    worker: {
      minimum: 1,
      maximum: 10,
      waiting: '20',
      queues: ['techniques', 'ai_tampered', 'claims', 'domain'].map((name) => `limpede.analysis.${name}`),
      resources: { requests: { cpu: '1', memory: '768Mi' }, limits: { memory: '1536Mi' } },
    },
    ingress: { namespace: 'ingress-nginx' },
  };
  return [...MADE, ...yamlOf(values), ''].join('\n');
}

/** The generated files of `deploy/` by their path in the package. */
export function deploymentPages(): Record<string, string> {
  const places = portsOfServices();
  return {
    'deploy/compose.yaml': composeFile(places),
    'deploy/helm/limpede/values.yaml': chartValues(places),
  };
}
