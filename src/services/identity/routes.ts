import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { FastifyReply, FastifyRequest } from '../../foundation/service.ts';
import { createProxyCheck, PROXY_SECRET_HEADER } from '../../foundation/trusted-proxy.ts';
import { identity } from './contract.ts';
import { realmNames } from './keys.ts';
import { errors as protocolErrors } from './oidc-library.ts';
import { pageLanguageOf } from './page-texts.ts';
import { expiredPage, type LoginProblem, loginPage, pageHeaders } from './pages.ts';
import type { RealmProvider } from './provider.ts';
import type { SignIn } from './sign-in.ts';

/** Bytes of a sign-in form: two short fields, percent-encoded. */
const FORM_LIMIT = 8192;

/** The request as it was before the gateway and the mounting: the library makes its addresses from it. */
function asPublic(raw: IncomingMessage, issuer: string, path: string): void {
  const { pathname, protocol, host } = new URL(issuer);
  const forwarded = raw as IncomingMessage & { originalUrl?: string };
  forwarded.url = path;
  forwarded.originalUrl = `${pathname}${path}`;
  // Always the configured address, whatever Host a caller sends: no request can bend a link or a redirect.
  forwarded.headers.host = host;
  forwarded.headers['x-forwarded-host'] = host;
  forwarded.headers['x-forwarded-proto'] = protocol.slice(0, -1);
}

/** Names the network address that a request comes from. */
type Sender = (request: FastifyRequest) => string;

/** The client address that the gateway names; from other senders the header is not trusted. */
export function createSender(gatewayToken: string | undefined): Sender {
  const isGateway = createProxyCheck(gatewayToken);
  return (request) => {
    const forwarded = request.headers['x-forwarded-for'];
    const known = isGateway(request.headers[PROXY_SECRET_HEADER]);
    return known && typeof forwarded === 'string' && forwarded !== '' ? forwarded : request.ip;
  };
}

function language(request: FastifyRequest, requested: unknown) {
  const { lang } = request.query as { lang?: unknown };
  const wanted = typeof lang === 'string' ? lang : requested;
  return pageLanguageOf(
    typeof wanted === 'string' ? wanted.split(' ')[0] : undefined,
    request.headers['accept-language'],
  );
}

function sendPage(reply: FastifyReply, realm: RealmProvider, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .headers({ ...pageHeaders(realm.returnOrigins), 'Cache-Control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(html);
}

const STATUS_OF_PROBLEM: Readonly<Record<LoginProblem, number>> = {
  wrong: 401,
  incomplete: 400,
  wait: 429,
  busy: 503,
};
/** Seconds after which a refused attempt may be made again. */
const RETRY_AFTER: Partial<Record<LoginProblem, string>> = { wait: '5', busy: '5' };

interface InteractionParameters {
  uid: string;
}

/** The sign-in page of one realm. */
function addSignIn(scope: FastifyInstance, realm: RealmProvider, signIn: SignIn, sender: Sender): void {
  const path = new URL(realm.issuer).pathname;
  const url = `/realms/${realm.realm}/interaction/:uid`;

  /** The sign-in in progress, or the answer that it is over. */
  async function details(request: FastifyRequest, reply: FastifyReply) {
    const { uid } = request.params as InteractionParameters;
    asPublic(request.raw, realm.issuer, `/interaction/${encodeURIComponent(uid)}`);
    try {
      const interaction = await realm.provider.interactionDetails(request.raw, reply.raw);
      if (interaction.uid === uid && interaction.prompt.name === 'login') return interaction;
    } catch (error) {
      if (!(error instanceof protocolErrors.SessionNotFound)) throw error;
    }
    sendPage(reply, realm, 400, expiredPage(language(request, undefined)));
    return undefined;
  }

  const view = (request: FastifyRequest, requested: unknown, name: string, problem?: LoginProblem) => {
    const { uid } = request.params as InteractionParameters;
    const action = `${path}/interaction/${encodeURIComponent(uid)}`;
    return loginPage({
      language: language(request, requested),
      realm: realm.realm,
      action,
      name,
      problem,
    });
  };

  scope.get(url, { config: { operation: 'sign-in' } }, async (request, reply) => {
    const interaction = await details(request, reply);
    if (interaction === undefined) return reply;
    const { login_hint: hint, ui_locales: locales } = interaction.params;
    return sendPage(reply, realm, 200, view(request, locales, typeof hint === 'string' ? hint : ''));
  });

  scope.post(url, { bodyLimit: FORM_LIMIT, config: { operation: 'sign-in' } }, async (request, reply) => {
    const interaction = await details(request, reply);
    if (interaction === undefined) return reply;
    const form = new URLSearchParams((request.body as Buffer | undefined)?.toString('utf8') ?? '');
    const finish = async (result: Parameters<typeof realm.provider.interactionResult>[2]) => {
      const next = await realm.provider.interactionResult(request.raw, reply.raw, result);
      return reply.header('Cache-Control', 'no-store').redirect(next, 303);
    };
    if (form.has('cancel'))
      return finish({ error: 'access_denied', error_description: 'The user cancelled the sign-in' });
    const name = (form.get('name') ?? '').trim();
    const password = form.get('password') ?? '';
    const result = await signIn({ realm: realm.realm, name, password, from: sender(request) });
    if ('user' in result) return finish({ login: { accountId: result.user.subject, amr: ['pwd'] } });
    const { problem } = result;
    const retryAfter = RETRY_AFTER[problem];
    if (retryAfter !== undefined) reply.header('Retry-After', retryAfter);
    return sendPage(
      reply,
      realm,
      STATUS_OF_PROBLEM[problem],
      view(request, interaction.params.ui_locales, name, problem),
    );
  });
}

/** Hands everything else of a realm to the library, body unread. */
function addProtocol(scope: FastifyInstance, realm: RealmProvider): void {
  const prefix = `/realms/${realm.realm}`;
  const handle = realm.provider.callback();
  const headers = pageHeaders(realm.returnOrigins);
  scope.all(`${prefix}/*`, { config: { operation: 'protocol' } }, (request, reply) => {
    const path = (request.raw.url ?? '').replace(/^\/+[^/?]*\/[^/?]*/, '');
    asPublic(request.raw, realm.issuer, path);
    reply.hijack();
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers }))
      if (value !== undefined) reply.raw.setHeader(name, value);
    void handle(request.raw, reply.raw);
  });
}

/** Mounts the realms. */
export async function attachRealms(
  app: FastifyInstance,
  realms: readonly RealmProvider[],
  signIn: SignIn,
  sender: Sender,
): Promise<void> {
  for (const realm of realms) addSignIn(app, realm, signIn, sender);
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    for (const realm of realms) addProtocol(scope, realm);
  });
  app.all('/realms/:realm/*', () => {
    throw identity.errors.not_found({ message: `The realms are ${realmNames.join(' and ')}.` });
  });
}
