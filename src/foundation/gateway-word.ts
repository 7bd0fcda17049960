import { createHash, timingSafeEqual } from 'node:crypto';
import { optionalText } from './settings.ts';

/** The header by which a service behind knows the gateway. The gateway lets no caller send one. */
export const GATEWAY_HEADER = 'x-limpede-gateway';

/** The secret in that header, as a setting of the gateway and of the services that believe its word. */
export const gatewayTokenSetting = () =>
  optionalText().describe(
    'The secret by which services behind know the gateway, whose word on the address of a caller they take; unset: in one process, a secret made at each start, elsewhere the address of the connection counts.',
  );

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Tells whether a header holds the gateway's secret, in constant time; never when there is no secret. */
export function createGatewayCheck(secret: string | undefined): (header: unknown) => boolean {
  if (secret === undefined) return () => false;
  const expected = digest(secret);
  return (header) => typeof header === 'string' && timingSafeEqual(digest(header), expected);
}
