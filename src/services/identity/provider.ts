import type {
  Adapter,
  AdapterPayload,
  Configuration,
  KoaContextWithOIDC,
  Provider as ProviderType,
} from 'oidc-provider';
import { DatabaseUnavailableError } from '../../foundation/database/engine.ts';
import { errorResponse } from '../../foundation/errors.ts';
import type { Logger } from '../../foundation/log.ts';
import { EMBEDDED_AUDIENCE, embeddedIssuer } from '../../foundation/realms.ts';
import { storageFailure } from '../../foundation/service/failures.ts';
import { identity } from './contract.ts';
import type { RealmKeys, RealmName } from './keys.ts';
import { errors, Provider } from './oidc-library.ts';
import { type PageLanguage, pageLanguageOf } from './page-texts.ts';
import { errorPage, loggedOutPage, logoutPage } from './pages.ts';
import type { IdentitySettings } from './settings.ts';
import type { IdentityStore, ProtocolRecords } from './store.ts';
import type { User } from './user-store.ts';

/** The client of the web application and the command line: public, with PKCE, in both realms. */
const WEB_CLIENT = 'limpede-web';

/** Seconds that a sign-in page stays usable. */
const INTERACTION_SECONDS = 3600;
/** Seconds between the end of the sign-in and the exchange of its code. */
const CODE_SECONDS = 60;

/** The API as a resource (RFC 8707): every access token is for it. */
const RESOURCE = 'urn:limpede:api';

/** One realm of the provider. */
export interface RealmProvider {
  readonly realm: RealmName;
  readonly issuer: string;
  readonly provider: ProviderType;
  /** The origins that a sign-in may return to. */
  readonly returnOrigins: readonly string[];
}

/** The stored form of a record, without its id and session cookie: both are secrets that the client sends again. */
function withoutSecrets({ jti: _id, session, ...payload }: AdapterPayload): Record<string, unknown> {
  if (session === undefined) return payload;
  const { cookie: _cookie, ...withoutCookie } = session;
  return { ...payload, session: withoutCookie };
}

function toAdapter(records: ProtocolRecords): Adapter {
  return {
    upsert: (id, payload, lifetime) =>
      records.put(id, {
        payload: withoutSecrets(payload),
        grantId: payload.grantId,
        uid: payload.uid,
        // Records without a life of their own are never expired by us: the library checks what it reads.
        lifetime: Number.isFinite(lifetime) ? lifetime : undefined,
      }),
    find: async (id) => {
      const payload = await records.get(id);
      return payload && { ...payload, jti: id };
    },
    // Sessions are read so, and never written back: without their id they could not be.
    findByUid: (uid) => records.getByUid(uid),
    // Only the device flow, which is off, asks by user code.
    findByUserCode: async () => undefined,
    consume: async (id) => {
      // Two exchanges of one code at the same moment: the library's own check has let both pass.
      if (!(await records.consume(id))) throw new errors.InvalidGrant('already used');
    },
    destroy: (id) => records.remove(id),
    revokeByGrantId: (grantId) => records.removeOfGrant(grantId),
  };
}

function userClaims(user: User) {
  return {
    sub: user.subject,
    preferred_username: user.subject,
    realm_access: { roles: [...user.roles] },
    ...(user.email !== null && { email: user.email, email_verified: true }),
  };
}

function redirectUris(settings: IdentitySettings, publicUrl: string): string[] {
  const { IDENTITY_REDIRECT_URIS: configured } = settings;
  return configured.length > 0 ? configured : [publicUrl, `${publicUrl}/`];
}

type Clients = NonNullable<Configuration['clients']>;

function clientsOf(realm: RealmName, settings: IdentitySettings, uris: string[]): Clients {
  const web = {
    client_id: WEB_CLIENT,
    client_name: 'Limpede',
    token_endpoint_auth_method: 'none' as const,
    application_type: 'web' as const,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
    redirect_uris: uris,
    post_logout_redirect_uris: uris,
  };
  const id = settings.IDENTITY_SERVICE_CLIENT_ID;
  const secret = settings.IDENTITY_SERVICE_CLIENT_SECRET;
  if (id === undefined || secret === undefined || settings.IDENTITY_SERVICE_CLIENT_REALM !== realm)
    return [web];
  const service = {
    client_id: id,
    client_secret: secret,
    token_endpoint_auth_method: 'client_secret_basic' as const,
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
  };
  return [web, service];
}

type TokenClaims = NonNullable<Configuration['extraTokenClaims']>;

/** The claims of access tokens: those of the user now, not of the time of the sign-in. */
function tokenClaims(realm: RealmName, store: IdentityStore, settings: IdentitySettings): TokenClaims {
  return async (_context, token) => {
    if (token.kind === 'ClientCredentials') {
      const roles = settings.IDENTITY_SERVICE_CLIENT_ROLES.split(',').map((role) => role.trim());
      return { azp: token.clientId, realm_access: { roles } };
    }
    const user = await store.users.find(realm, token.accountId);
    if (user === undefined) throw new errors.InvalidGrant('the user is gone');
    const { sub: _sub, ...claims } = userClaims(user);
    return {
      ...claims,
      azp: token.clientId,
      ...(user.plan !== null && { plan_type: user.plan }),
    };
  };
}

type Features = NonNullable<Configuration['features']>;

function languageOf(context: { query: Record<string, unknown>; get(name: string): string }): PageLanguage {
  const requested = context.query.ui_locales ?? context.query.lang;
  return pageLanguageOf(
    typeof requested === 'string' ? requested : undefined,
    context.get('accept-language'),
  );
}

function featuresOf(settings: IdentitySettings): Features {
  return {
    devInteractions: { enabled: false },
    // Access tokens are for the API, so that the provider's own userinfo could not take them; ID tokens carry the claims.
    userinfo: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: async (_context, client, token) => token.clientId === client.clientId,
    },
    clientCredentials: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: async (context, form) => {
        context.body = logoutPage(languageOf(context), form);
      },
      postLogoutSuccessSource: async (context) => {
        context.body = loggedOutPage(languageOf(context));
      },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => RESOURCE,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_context, resource) => {
        if (resource !== RESOURCE) throw new errors.InvalidTarget();
        return {
          scope: '',
          audience: EMBEDDED_AUDIENCE,
          accessTokenFormat: 'jwt',
          accessTokenTTL: settings.IDENTITY_ACCESS_TOKEN_SECONDS,
          jwt: { sign: { alg: 'RS256' } },
        };
      },
    },
  };
}

type GrantLoader = NonNullable<Configuration['loadExistingGrant']>;

/** The product's own client is never asked for consent: its grant covers what it asks for. */
const loadGrant: GrantLoader = async (context) => {
  const { client, session, provider, params } = context.oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const known = session.grantIdFor(client.clientId);
  const knownGrant = known === undefined ? undefined : await provider.Grant.find(known);
  const grant = knownGrant ?? new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(typeof params?.scope === 'string' ? params.scope : 'openid');
  await grant.save();
  return grant;
};

function lifetimes(settings: IdentitySettings): NonNullable<Configuration['ttl']> {
  return {
    AccessToken: settings.IDENTITY_ACCESS_TOKEN_SECONDS,
    ClientCredentials: settings.IDENTITY_ACCESS_TOKEN_SECONDS,
    IdToken: settings.IDENTITY_ACCESS_TOKEN_SECONDS,
    AuthorizationCode: CODE_SECONDS,
    Interaction: INTERACTION_SECONDS,
    RefreshToken: settings.IDENTITY_SESSION_SECONDS,
    Session: settings.IDENTITY_SESSION_SECONDS,
    Grant: settings.IDENTITY_SESSION_SECONDS,
  };
}

function cookiesOf(realm: RealmName, path: string, keys: RealmKeys): NonNullable<Configuration['cookies']> {
  const attributes = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  return {
    keys: keys.cookies,
    names: {
      session: `limpede_${realm}_session`,
      interaction: `limpede_${realm}_interaction`,
      resume: `limpede_${realm}_resume`,
    },
    long: { ...attributes, path },
    short: attributes,
  };
}

function configurationOf(options: RealmOptions, issuer: string, uris: string[]): Configuration {
  const { realm, keys, store, settings } = options;
  const path = new URL(issuer).pathname;
  return {
    adapter: (kind: string) => toAdapter(store.records(realm, kind)),
    clients: clientsOf(realm, settings, uris),
    jwks: { keys: keys.keys },
    cookies: cookiesOf(realm, path, keys),
    features: featuresOf(settings),
    ttl: lifetimes(settings),
    scopes: ['openid', 'offline_access'],
    claims: {
      openid: ['sub', 'preferred_username', 'realm_access'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username'],
    },
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    pkce: { required: () => true },
    findAccount: async (_context, subject) => {
      const user = await store.users.find(realm, subject);
      return user && { accountId: user.subject, claims: async () => userClaims(user) };
    },
    extraTokenClaims: tokenClaims(realm, store, settings),
    loadExistingGrant: loadGrant,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    clientBasedCORS: () => false,
    interactions: { url: (_context, interaction) => `${path}/interaction/${interaction.uid}` },
    renderError: async (context, problem) => {
      context.type = 'html';
      const words = problem.error_description ?? problem.error;
      context.body = errorPage(languageOf(context), words);
    },
  };
}

/** What the library calls its own error is the storage's: the answer says that a later attempt may succeed. */
function answerUnavailable(context: KoaContextWithOIDC): void {
  const { message, headers } = storageFailure(identity);
  const isPage = typeof context.body === 'string';
  // The word of RFC 6749 for it.
  if (!isPage) context.body = { error: 'temporarily_unavailable', error_description: message };
  context.status = 503;
  context.set(headers);
}

/** What a realm is made of. */
export interface RealmOptions {
  readonly realm: RealmName;
  readonly publicUrl: string;
  readonly keys: RealmKeys;
  readonly store: IdentityStore;
  readonly settings: IdentitySettings;
  readonly log: Logger;
}

/** Makes the provider of one realm; the library does the protocol. */
export function createRealm(options: RealmOptions): RealmProvider {
  const issuer = embeddedIssuer(options.publicUrl, options.realm);
  const uris = redirectUris(options.settings, options.publicUrl);
  const provider = new Provider(issuer, configurationOf(options, issuer, uris));
  // The routes pass the public address to the library in X-Forwarded headers.
  provider.proxy = true;
  provider.use(async (context, next) => {
    await next();
    if (context.status !== 404 || context.body) return;
    const correlationId = String(context.res.getHeader('x-correlation-id') ?? '');
    context.body = errorResponse(identity.errors.not_found(), correlationId);
    context.status = 404;
  });
  provider.on('server_error', (context, error) => {
    options.log.error({ err: error, realm: options.realm }, 'the OIDC provider failed');
    if (error instanceof DatabaseUnavailableError) answerUnavailable(context);
  });
  const returnOrigins = [...new Set(uris.map((uri) => new URL(uri).origin))].filter(
    (origin) => origin !== 'null',
  );
  return { realm: options.realm, issuer, provider, returnOrigins };
}
