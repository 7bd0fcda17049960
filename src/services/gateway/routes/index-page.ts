import type { Handlers } from '../../../foundation/service.ts';
import type { gateway } from '../contract.ts';
import { API_PREFIX } from '../mounts.ts';

/** What the gateway is and where. */
export interface GatewayInfo {
  readonly publicUrl: string;
  readonly version: string;
}

/** The page at the root. */
export function indexRoutes({ publicUrl, version }: GatewayInfo): Handlers<typeof gateway.operations> {
  const api = `${publicUrl}${API_PREFIX}`;
  return {
    index: () => ({
      name: 'Limpede',
      version,
      links: {
        api: `${api}/api/v3`,
        openapi: `${api}/openapi.json`,
        documentation: `${api}/docs/`,
        health: `${api}/api/v3/health`,
        clients_realm: `${publicUrl}/realms/clients/.well-known/openid-configuration`,
        admins_realm: `${publicUrl}/realms/admins/.well-known/openid-configuration`,
      },
    }),
  };
}
