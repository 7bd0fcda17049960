import { LRUCache } from 'lru-cache';
import table from '../../../../data/domains/whois-servers.json' with { type: 'json' };
import { CircuitBreaker } from '../../../foundation/breaker.ts';
import { DeadlineError, withDeadline } from '../../../foundation/deadline.ts';
import { type ConnectorOptions, guardedSocket } from '../../../foundation/http/connector.ts';
import { FetchError } from '../../../foundation/http/reasons.ts';
import { isHostName } from '../../../foundation/http/web-address.ts';
import type { Site } from '../site.ts';
import { NoAnswerError } from './live-check.ts';
import type { Registration } from './registration.ts';
import { readWhois } from './whois-record.ts';

/** Options of the WHOIS client. */
export interface WhoisOptions {
  /** The one server for all suffixes; unset means that of each suffix. */
  server: { host: string; port: number } | undefined;
  /** Port of the servers of suffixes: 43 but in tests. */
  port: number;
  outbound: Omit<ConnectorOptions, 'build'>;
  /** Time for all of it, in milliseconds. */
  limitMs: number;
  /** How long a server that failed is not asked again, in milliseconds. */
  retryMs: number;
}

/** Asks the registry of a site by WHOIS (RFC 3912), where it has no record in RDAP. */
export interface Whois {
  /** Throws NoAnswerError when no record, nor the lack of one, could be learnt. */
  ask(site: Site, signal: AbortSignal): Promise<Registration>;
}

/** A record is a few kilobytes; more is no record. */
const LARGEST_ANSWER = 128 * 1024;
/** Suffixes are few; servers change rarely. */
const REFERRALS = { max: 2000, ttl: 86_400_000 };

const SERVER_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(table.servers).flatMap(([server, suffixes]) =>
    suffixes.map((suffix) => [suffix, server] as const),
  ),
);
const QUERIES: Readonly<Record<string, string>> = table.queries;

/** A client of WHOIS servers. */
export function createWhois(options: WhoisOptions): Whois {
  const referrals = new LRUCache<string, string>(REFERRALS);
  const circuits = new LRUCache<string, CircuitBreaker>({ max: 1000 });
  const { retryMs } = options;
  const circuitOf = (host: string) => {
    const known = circuits.get(host);
    if (known !== undefined) return known;
    const fresh = new CircuitBreaker({ requests: 1, failureShare: 0.5, openMs: retryMs, windowMs: retryMs });
    circuits.set(host, fresh);
    return fresh;
  };
  const query = async (host: string, port: number, text: string, signal: AbortSignal) => {
    const circuit = circuitOf(host);
    const permit = circuit.admit();
    if (permit === undefined) throw new NoAnswerError('unreachable_lately');
    try {
      const answer = await converse(host, port, text, options, signal);
      circuit.succeeded(permit);
      return answer;
    } catch (error) {
      const reason: unknown = signal.reason;
      // A caller that left is no failure of the server; a timeout is.
      const isLeft = reason instanceof DeadlineError && reason.reason === 'aborted';
      if (isLeft) circuit.dropped(permit);
      else circuit.failed(permit);
      throw error;
    }
  };
  const serverOf = async (suffix: string, signal: AbortSignal) => {
    const known = SERVER_OF.get(suffix) ?? referrals.get(suffix);
    if (known !== undefined) return known;
    const named = referralOf(await query(table.root, options.port, suffix, signal));
    if (named === undefined) throw new NoAnswerError('no_registry_server', 'skipped');
    referrals.set(suffix, named);
    return named;
  };
  const ask = async ({ domain }: Site, signal: AbortSignal): Promise<Registration> => {
    const suffix = domain.slice(domain.lastIndexOf('.') + 1);
    const host = options.server?.host ?? (await serverOf(suffix, signal));
    const port = options.server?.port ?? options.port;
    const text = (options.server === undefined ? QUERIES[suffix] : undefined) ?? '{domain}';
    const answer = await query(host, port, text.replace('{domain}', domain), signal);
    const record = readWhois(answer, domain);
    if (record === undefined) throw new NoAnswerError('invalid_answer');
    return { ...record, record: `whois://${host}/${domain}` };
  };
  return {
    ask: (site, caller) => withDeadline(options.limitMs, caller, (signal) => ask(site, signal)),
  };
}

/** The server that the root names; only a name that can be looked up is one. */
function referralOf(answer: string): string | undefined {
  const host = /^(?:refer|whois):[ \t]*(\S+)[ \t]*\r?$/im.exec(answer)?.[1]?.toLowerCase();
  return host?.includes('.') && isHostName(host) ? host : undefined;
}

/** Sends one line and reads what comes until the server closes. */
async function converse(
  host: string,
  port: number,
  text: string,
  { outbound, server }: WhoisOptions,
  signal: AbortSignal,
): Promise<string> {
  const socket = await guardedSocket({ host, port, isTrusted: server !== undefined }, outbound, signal).catch(
    (error: unknown) => {
      throw new NoAnswerError(reasonOf(error, signal));
    },
  );
  const leave = () => socket.destroy(new NoAnswerError('timeout'));
  signal.addEventListener('abort', leave, { once: true });
  try {
    socket.write(`${text}\r\n`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > LARGEST_ANSWER) throw new NoAnswerError('invalid_answer');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    throw error instanceof NoAnswerError ? error : new NoAnswerError('connection_closed');
  } finally {
    signal.removeEventListener('abort', leave);
    socket.destroy();
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'timeout';
  const reason = error instanceof FetchError ? error.reason : undefined;
  if (reason === 'timeout') return 'timeout';
  return reason === 'url_not_allowed' ? 'private_address' : 'unreachable';
}
