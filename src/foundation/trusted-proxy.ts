import { createHash, timingSafeEqual } from 'node:crypto';
import { optionalText } from './settings.ts';

/** The header by which a service behind knows the gateway, its trusted proxy. The gateway lets no caller send one. */
export const PROXY_SECRET_HEADER = 'x-limpede-gateway';

/** The secret in that header, as a setting of the gateway and of the services that trust its X-Forwarded-For. */
export const proxySecretSetting = () =>
  optionalText().describe(
    'The secret by which services behind know the gateway as their trusted proxy, whose X-Forwarded-For they believe; unset: in one process, a secret made at each start, elsewhere the address of the connection counts.',
  );

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Whether a header holds the gateway's secret, compared in constant time; false when there is no secret. */
export function createProxyCheck(secret: string | undefined): (header: unknown) => boolean {
  if (secret === undefined) return () => false;
  const expected = digest(secret);
  return (header) => typeof header === 'string' && timingSafeEqual(digest(header), expected);
}
