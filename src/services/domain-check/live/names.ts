import { Resolver } from 'node:dns/promises';
import { startDeadline } from '../../../foundation/deadline.ts';
import type { Site } from '../site.ts';
import { NoAnswerError } from './live-check.ts';

/** What the domain name system says of a site. */
export interface NameRecords {
  /** False when the name does not exist at all (NXDOMAIN). */
  found: boolean;
  addresses: string[];
  /** Null where the servers gave no answer. */
  nameServers: string[] | null;
  mail: 'receives' | 'refuses' | 'none' | null;
  spf: boolean | null;
  /** Policy of the DMARC record, `none` included; 'absent' without one. */
  dmarc: string | null;
  caa: boolean | null;
}

/** Asks the domain name system. */
export interface NameLookup {
  ask(site: Site, signal: AbortSignal): Promise<NameRecords>;
  /** Rejects when the servers do not even answer for the root of all names. */
  probe(signal: AbortSignal): Promise<void>;
}

type Outcome<Value> = { value: Value } | { code: 'empty' | 'missing' | 'broken' };

/** Milliseconds until a query is repeated, and how often it is sent; the limit of the lookup bounds them all. */
const QUERY_MS = 1000;
const TRIES = 2;

/** A lookup over given servers (`address` or `address:port`), or over those of the system when the list is empty. */
export function createNameLookup(servers: readonly string[], limitMs: number): NameLookup {
  const query = async <Answer>(signal: AbortSignal, work: (resolver: Resolver) => Promise<Answer>) => {
    const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    const deadline = startDeadline(limitMs, signal);
    deadline.signal.addEventListener('abort', () => resolver.cancel(), { once: true });
    try {
      return await work(resolver);
    } finally {
      deadline.stop();
    }
  };
  return {
    ask: (site, signal) => query(signal, (resolver) => askAll(resolver, site)),
    probe: (signal) =>
      query(signal, async (resolver) => {
        if (!('value' in (await outcome(resolver.resolveNs('.'))))) {
          throw new Error('the name servers do not answer');
        }
      }),
  };
}

async function askAll(resolver: Resolver, site: Site): Promise<NameRecords> {
  const [root, v4, v6, name, mail, text, dmarc, caa] = await Promise.all([
    outcome(resolver.resolveNs('.')),
    outcome(resolver.resolve4(site.host)),
    outcome(resolver.resolve6(site.host)),
    outcome(resolver.resolveNs(site.domain)),
    outcome(resolver.resolveMx(site.domain)),
    outcome(resolver.resolveTxt(site.domain)),
    outcome(resolver.resolveTxt(`_dmarc.${site.domain}`)),
    outcome(resolver.resolveCaa(site.domain)),
  ]);
  const answers = [v4, v6, name, mail, text, dmarc, caa];
  const ended = (code: string) => (answer: Outcome<unknown>) => 'code' in answer && answer.code === code;
  if (answers.every(ended('broken')))
    throw new NoAnswerError('value' in root ? 'name_servers_silent' : 'unreachable');
  // Without the name itself nothing below it exists either (RFC 8020); a missing host alone is no missing domain.
  const missing = [v4, v6, name].every(ended('missing'));
  // A resolver without the root zone (a closed network, a filter) cannot show that a name does not exist.
  if ([v4, v6].every(ended('missing')) && !('value' in root)) throw new NoAnswerError('unreliable_resolver');
  return {
    found: !missing,
    addresses: [...valueOr(v4, []), ...valueOr(v6, [])] as string[],
    nameServers:
      valueOr(name, null, [])
        ?.map((server) => server.toLowerCase())
        .sort() ?? null,
    mail: mailOf(mail),
    spf: has(text, (record) => /^v=spf1(\s|$)/i.test(record)),
    dmarc: dmarcOf(dmarc),
    caa:
      valueOr(caa, null, [])?.some(
        (record) => record.issue !== undefined || record.issuewild !== undefined,
      ) ?? null,
  };
}

async function outcome<Value>(query: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await query };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOTFOUND') return { code: 'missing' };
    return { code: code === 'ENODATA' ? 'empty' : 'broken' };
  }
}

/** The answer; `none` when the name has no such record; `unknown` when the servers gave no answer. */
function valueOr<Value, Unknown>(answer: Outcome<Value>, unknown: Unknown, none?: Value): Value | Unknown {
  if ('value' in answer) return answer.value;
  return answer.code === 'broken' || none === undefined ? unknown : none;
}

function mailOf(answer: Outcome<{ exchange: string; priority: number }[]>): NameRecords['mail'] {
  const records = valueOr(answer, null, []);
  if (records === null) return null;
  if (records.length === 0) return 'none';
  // One empty exchange says that the domain takes no mail (RFC 7505).
  return records.every((record) => record.exchange === '' || record.exchange === '.')
    ? 'refuses'
    : 'receives';
}

function has(answer: Outcome<string[][]>, test: (record: string) => boolean): boolean | null {
  return valueOr(answer, null, [])?.some((parts) => test(parts.join(''))) ?? null;
}

function dmarcOf(answer: Outcome<string[][]>): string | null {
  const records = valueOr(answer, null, []);
  if (records === null) return null;
  const record = records.map((parts) => parts.join('')).find((text) => /^v=DMARC1\s*(;|$)/i.test(text));
  if (record === undefined) return 'absent';
  return /;\s*p\s*=\s*(none|quarantine|reject)/i.exec(record)?.[1]?.toLowerCase() ?? 'invalid';
}
