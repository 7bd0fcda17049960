import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { list } from '../settings.ts';
import { parseAddress } from './web-address.ts';

/** Private hosts that an operator opened for guarded fetches. */
export interface AllowList {
  /** The name itself is listed, for this port. */
  admitsName(host: string, port: number): boolean;
  /** The address lies in a listed range, for this port. */
  admitsAddress(address: string, port: number): boolean;
  /** A name on this port could resolve into a listed range, so that only its addresses can decide. */
  mayAdmitPort(port: number): boolean;
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];
interface NameRule {
  host: string;
  port: number | undefined;
}
interface RangeRule {
  range: Range;
  port: number | undefined;
}

const ENTRY = /^(?:\[(?<bracketed>[^\]]+)\]|(?<host>[^:]+))(?::(?<port>\d{1,5}))?$/;

function parseEntry(entry: string): NameRule | RangeRule {
  if (ipaddr.isValidCIDR(entry)) return { range: ipaddr.parseCIDR(entry), port: undefined };
  if (isIP(entry) === 6) return { range: wholeAddress(entry), port: undefined };
  const parts = ENTRY.exec(entry)?.groups;
  const host = parts?.bracketed ?? parts?.host;
  const port = parts?.port === undefined ? undefined : Number(parts.port);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65535))) throw unreadable(entry);
  if (isIP(host) !== 0) return { range: wholeAddress(host), port };
  const address = `http://${host}/`;
  if (!/^[^/?#@\\\s]+$/.test(host) || parseAddress(address) === undefined) throw unreadable(entry);
  return { host: bareHost(new URL(address).hostname), port };
}

const unreadable = (entry: string) =>
  new Error(`"${entry}" is none of host, host:port, address, address:port or CIDR range`);

function wholeAddress(text: string): Range {
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Host of a parsed address without the dot of a fully qualified name. */
export const bareHost = (hostname: string) => hostname.replace(/\.$/, '');

/** Reads entries of the forms host, host:port, address, address:port, [v6]:port and CIDR; throws on any other. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const rules = entries.map((entry) => parseEntry(entry.trim()));
  const names = rules.filter((rule) => 'host' in rule);
  const ranges = rules.filter((rule) => 'range' in rule);
  const admitsPort = (rule: { port: number | undefined }, port: number) =>
    rule.port === undefined || rule.port === port;
  return {
    admitsName: (host, port) => names.some((rule) => rule.host === host && admitsPort(rule, port)),
    admitsAddress: (text, port) => {
      if (isIP(text) === 0) return false;
      const address = ipaddr.process(text);
      return ranges.some(
        ({ range: [base, bits], ...rule }) =>
          base.kind() === address.kind() && address.match(base, bits) && admitsPort(rule, port),
      );
    },
    mayAdmitPort: (port) => ranges.some((rule) => admitsPort(rule, port)),
  };
}

/** A setting that lists private hosts; what cannot be read is a problem at start. */
export const privateHosts = () =>
  list().superRefine((entries, context) => {
    try {
      parseAllowList(entries);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    }
  });
