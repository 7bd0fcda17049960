import { type Contract, type Operation, routePath } from '../../foundation/contract.ts';
import { isJson, streamedBytes } from '../../foundation/payloads.ts';
import { analysis } from '../analysis/contract.ts';
import { catalogue } from '../catalogue/contract.ts';
import { dashboard } from '../dashboard/contract.ts';
import { identity } from '../identity/contract.ts';

/**
 * Who can reach a service: `anybody` (it checks its callers itself), `known` (tokens of every realm; what its contract calls
 * public is open) or `admins` (tokens of the realm of staff, for everything).
 */
type Callers = 'anybody' | 'known' | 'admins';

/** A service that the gateway leads to. */
export interface Mount {
  readonly contract: Contract;
  /** The path below which callers find the service. */
  readonly prefix: string;
  readonly callers: Callers;
  /** The service sees its paths with the prefix. */
  readonly keepsPrefix?: true;
  /** Without it the gateway is unhealthy; without another it is degraded. */
  readonly critical?: true;
  /** Bytes of the largest body, when that is less than GATEWAY_BODY_LIMIT. */
  readonly bodyBytes?: number;
}

/** The path of the interface: the analysis service. */
export const API_PREFIX = '/agent-v3';

/** The services behind the gateway. Nothing else is public. */
export const MOUNTS: readonly Mount[] = [
  { contract: analysis, prefix: API_PREFIX, callers: 'known', critical: true },
  { contract: catalogue, prefix: `${API_PREFIX}/catalogue`, callers: 'admins' },
  { contract: dashboard, prefix: `${API_PREFIX}/dashboard`, callers: 'admins' },
  // Forms and token requests; the OIDC library reads no more either.
  { contract: identity, prefix: '/realms', callers: 'anybody', keepsPrefix: true, bodyBytes: 65_536 },
];

/** The setting that says where a service is. */
export function urlSetting({ contract }: Mount): string {
  return `${contract.name.toUpperCase()}_URL`;
}

/** One route of the gateway. */
export interface MountedRoute {
  readonly methods: readonly string[];
  /** In the notation of the router, prefix included. */
  readonly path: string;
  /** The name in the request metrics. */
  readonly name: string;
  /** Whether the caller must be known; then perhaps of the realm of staff. */
  readonly callers: Callers;
  /** Bytes of the largest body. */
  readonly bodyBytes: number;
  /** Milliseconds between two heartbeats, when the answer is a stream of events. */
  readonly heartbeatMs?: number;
}

/** The limits that an operator sets, in bytes. */
export interface MountLimits {
  readonly bodyBytes: number;
  readonly uploadBytes: number;
}

const READING = ['GET', 'HEAD'];
const METHODS = [...READING, 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Standard operations that need no token. */
const DOCUMENTATION = ['/metrics', '/openapi.json', '/docs/*'];

/** Bytes of the largest body of an operation that says so itself. */
function declaredBytes({ body, bodyLimit }: Operation, limits: MountLimits): number | undefined {
  if (body === undefined || isJson(body))
    return bodyLimit === undefined ? undefined : Math.min(bodyLimit, limits.bodyBytes);
  return Math.min(streamedBytes(body), limits.uploadBytes);
}

/** The route of one operation; undefined when the catch-all route of its service fits. */
function operationRoute(
  [name, operation]: [string, Operation],
  mount: Mount,
  limits: MountLimits,
): MountedRoute | undefined {
  const { method, path, access, answer, standard } = operation;
  const { callers, prefix, contract } = mount;
  // Health is shown to operators, not to the public.
  const isOpen = callers === 'known' && access === 'public' && standard !== true;
  const bodyBytes = declaredBytes(operation, limits);
  const heartbeatMs = !isJson(answer) && answer.kind === 'events' ? answer.heartbeatMs : undefined;
  const isOwn = bodyBytes !== undefined || heartbeatMs !== undefined;
  if (!isOpen && !isOwn) return undefined;
  return {
    methods: method === 'GET' ? READING : [method],
    path: `${prefix}${routePath(path)}`,
    name: isOwn ? `${contract.name}.${name}` : contract.name,
    callers: isOpen ? 'anybody' : callers,
    bodyBytes: bodyBytes ?? Math.min(limits.bodyBytes, mount.bodyBytes ?? limits.bodyBytes),
    ...(heartbeatMs !== undefined && { heartbeatMs }),
  };
}

/**
 * The routes that lead to a service: one for everything below its prefix, and one for each operation that differs from that by
 * its contract: open to anybody, with a body of another size, or with a stream for an answer.
 */
export function mountedRoutes(mount: Mount, limits: MountLimits): MountedRoute[] {
  const { contract, prefix, callers } = mount;
  const { name } = contract;
  const bodyBytes = Math.min(limits.bodyBytes, mount.bodyBytes ?? limits.bodyBytes);
  const own = Object.entries(contract.operations).flatMap((entry) => {
    const route = operationRoute(entry, mount, limits);
    return route === undefined ? [] : [route];
  });
  const open = callers === 'known' ? ['', ...DOCUMENTATION] : [];
  return [
    ...own,
    ...open.map((path): MountedRoute => {
      return { methods: READING, path: `${prefix}${path}`, name, callers: 'anybody', bodyBytes };
    }),
    { methods: METHODS, path: `${prefix}/*`, name, callers, bodyBytes },
  ];
}
