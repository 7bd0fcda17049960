import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { realmSettings } from '../../foundation/realms.ts';
import { dependency, integer, list, number } from '../../foundation/settings.ts';
import { proxySecretSetting } from '../../foundation/trusted-proxy.ts';
import { type Mount, urlSetting } from './mounts.ts';

const isNetwork = (item: string) => ipaddr.isValid(item) || ipaddr.isValidCIDR(item);

/** The settings that are not addresses of services. */
export const ownSettings = {
  ...realmSettings,
  GATEWAY_RATE_LIMIT_RPS: number(100, 0.01, 1_000_000).describe(
    'Requests a second for one caller: a user by the token, anybody else by the network address.',
  ),
  GATEWAY_RATE_LIMIT_BURST: integer(400, 1, 1_000_000).describe('Requests that one caller may send at once.'),
  GATEWAY_LOGIN_RATE_LIMIT_RPS: number(2, 0.01, 1_000_000).describe(
    'Forms and token requests a second to the identity provider from one network address.',
  ),
  GATEWAY_LOGIN_RATE_LIMIT_BURST: integer(30, 1, 1_000_000).describe(
    'Forms and token requests to the identity provider that one network address may send at once.',
  ),
  GATEWAY_BODY_LIMIT: integer(1_048_576, 1024, 1_073_741_824).describe(
    'Bytes of the largest request body, uploads excepted.',
  ),
  GATEWAY_UPLOAD_LIMIT: integer(536_870_912, 1024, 1_099_511_627_776).describe(
    'Bytes of the largest media upload.',
  ),
  GATEWAY_BODY_PAUSE_MS: integer(20_000, 10, 600_000).describe(
    'Milliseconds that a request body may pause before the request is given up.',
  ),
  GATEWAY_HEADERS_TIMEOUT_MS: integer(15_000, 100, 600_000).describe(
    'Milliseconds for the headers of a request to arrive.',
  ),
  GATEWAY_REQUEST_TIMEOUT_MS: integer(900_000, 1000, 3_600_000).describe(
    'Milliseconds for a whole request, the upload of the largest media included, to arrive.',
  ),
  GATEWAY_UPSTREAM_TIMEOUT_MS: integer(60_000, 100, 3_600_000).describe(
    'Milliseconds for a service behind to begin its answer; a direct analysis takes up to 45 s.',
  ),
  GATEWAY_STREAMS_PER_CALLER: integer(1000, 1, 1_000_000).describe(
    'Streams of events that one caller may have open at once.',
  ),
  GATEWAY_CORS_ORIGINS: list().describe(
    'Comma-separated origins whose pages may call the gateway from a browser: a web application elsewhere, the extension.',
  ),
  GATEWAY_INTERNAL_TOKEN: proxySecretSetting(),
  GATEWAY_TRUSTED_PROXIES: list()
    .refine((items) => items.every(isNetwork), 'must be addresses or networks such as 10.0.0.0/8')
    .describe(
      'Comma-separated addresses or networks of reverse proxies in front, whose X-Forwarded-For is believed.',
    ),
};

/** The parsed settings, the addresses of services aside. */
export type GatewaySettings = z.infer<z.ZodObject<typeof ownSettings>>;

/** Settings of a gateway to given services: where each of them is, and its own. */
export function gatewaySettings(mounts: readonly Mount[]) {
  const addresses = mounts.map((mount) => {
    const description = `Where the ${mount.contract.name} service is reached; \`none\` switches it off.`;
    return [urlSetting(mount), dependency().describe(description)] as const;
  });
  return z.object({ ...Object.fromEntries(addresses), ...ownSettings });
}
