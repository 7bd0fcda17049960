// An OpenID Connect provider that is not ours: other paths, other claims, keys that a line on standard input rotates.
import { createServer, type RequestListener } from 'node:http';
import { createInterface } from 'node:readline';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider } from 'oidc-provider';

const [port = '0'] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const RESOURCE = 'urn:newsroom';
const keys: JWK[] = [];

/** A provider whose newest key signs; those before it stay in the key set. */
async function createProvider(): Promise<RequestListener> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  keys.unshift({ ...(await exportJWK(privateKey)), kid: `key-${keys.length}`, alg: 'RS256', use: 'sig' });
  const provider = new Provider(issuer, {
    jwks: { keys: keys as { kty: string }[] },
    clients: [
      {
        client_id: 'newsroom-desk',
        client_secret: 'a secret of the test',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    routes: { token: '/oauth/v2/token', jwks: '/discovery/keys' },
    extraTokenClaims: () => ({
      plan_type: '5',
      department: 'fact-check',
      realm_access: { roles: ['editor'] },
    }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: () => ({
          scope: '',
          audience: 'limpede-newsroom',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  return provider.callback();
}

let handle = await createProvider();
const server = createServer((request, response) => handle(request, response));
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
createInterface(process.stdin).on('line', async () => {
  handle = await createProvider();
  console.log('rotated');
});
