import { isIPv4 } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { checkResolved } from '../../../foundation/http/address-guard.ts';
import type { AllowList } from '../../../foundation/http/allow-list.ts';
import type { Site } from '../site.ts';
import { NoAnswerError } from './live-check.ts';

/** What is wrong with a certificate. */
export type CertificateProblem = 'expired' | 'wrong_name' | 'untrusted';

/** What the server of a site showed in a TLS handshake. */
export interface Certificate {
  /** False when the host answers, but not in TLS. */
  encrypted: boolean;
  valid: boolean;
  problem: CertificateProblem | null;
  validFrom: string | null;
  validTo: string | null;
  issuer: string | null;
  names: number;
  protocol: string | null;
  fingerprint256: string | null;
}

/** Two addresses: one may be down, more would only cost time. */
const ADDRESSES_TRIED = 2;

const NOT_ENCRYPTED: Certificate = {
  encrypted: false,
  valid: false,
  problem: null,
  validFrom: null,
  validTo: null,
  issuer: null,
  names: 0,
  protocol: null,
  fingerprint256: null,
};

/** Which addresses a handshake may reach, and which authorities it trusts. */
export interface HandshakeRules {
  allow: AllowList;
  /** Certificates of the trusted authorities (PEM); unset means those of Node. */
  authorities?: string[];
}

/** Asks for the certificate of a site at addresses that were resolved before; the connection goes to those very addresses. */
export async function fetchCertificate(
  site: Site,
  addresses: readonly string[],
  rules: HandshakeRules,
  signal: AbortSignal,
): Promise<Certificate> {
  if (addresses.length === 0) throw new NoAnswerError('no_address', 'skipped');
  const open = addresses.filter((address) => isAllowed(site, address, rules.allow));
  if (open.length === 0) throw new NoAnswerError('private_address', 'skipped');
  // IPv4 first: a machine without IPv6 is common, one without IPv4 is not.
  const ordered = [...open].sort((a, b) => Number(isIPv4(b)) - Number(isIPv4(a)));
  let refused: Certificate | undefined;
  let failure: unknown;
  for (const address of ordered.slice(0, ADDRESSES_TRIED)) {
    try {
      const answer = await handshake(site, address, rules, signal);
      if (answer.encrypted) return answer;
      refused = answer;
    } catch (error) {
      failure = error;
      if (signal.aborted) break;
    }
  }
  if (refused !== undefined && failure === undefined) return refused;
  throw failure;
}

function isAllowed(site: Site, address: string, allow: AllowList): boolean {
  try {
    checkResolved(site.host, address, site.tlsPort, allow);
    return true;
  } catch {
    return false;
  }
}

function handshake(
  site: Site,
  address: string,
  rules: HandshakeRules,
  signal: AbortSignal,
): Promise<Certificate> {
  const options: ConnectionOptions = {
    host: address,
    port: site.tlsPort,
    servername: site.host,
    // An invalid certificate is a finding here, no reason to stop; nothing is sent over the connection.
    rejectUnauthorized: false,
    ...(rules.authorities !== undefined && { ca: rules.authorities }),
    ALPNProtocols: ['h2', 'http/1.1'],
  };
  return new Promise((resolve, reject) => {
    const socket = connect(options);
    const leave = () => socket.destroy(new NoAnswerError('timeout'));
    signal.addEventListener('abort', leave, { once: true });
    socket.once('secureConnect', () => {
      resolve(readCertificate(socket));
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const answer = withoutTls(error);
      if (answer === undefined)
        reject(error instanceof NoAnswerError ? error : new NoAnswerError(reasonOf(error)));
      else resolve(answer);
    });
    socket.once('close', () => {
      signal.removeEventListener('abort', leave);
      reject(new NoAnswerError('connection_closed'));
    });
  });
}

/** A refused port, or an answer that is not TLS, shows that there is no encrypted site. */
function withoutTls(error: NodeJS.ErrnoException): Certificate | undefined {
  const code = error.code ?? '';
  return code === 'ECONNREFUSED' || code === 'EPROTO' || code.startsWith('ERR_SSL_')
    ? NOT_ENCRYPTED
    : undefined;
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ECONNRESET' ? 'connection_closed' : 'unreachable';
}

const EXPIRED_CODES = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

function problemOf(socket: TLSSocket): CertificateProblem | null {
  if (socket.authorized) return null;
  // Node documents an Error and gives the code of it.
  const error: unknown = socket.authorizationError;
  const code = typeof error === 'string' ? error : ((error as NodeJS.ErrnoException | null)?.code ?? '');
  if (EXPIRED_CODES.has(code)) return 'expired';
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? 'wrong_name' : 'untrusted';
}

function readCertificate(socket: TLSSocket): Certificate {
  const certificate = socket.getPeerCertificate();
  const issuer = certificate.issuer?.O ?? certificate.issuer?.CN;
  return {
    encrypted: true,
    valid: socket.authorized,
    problem: problemOf(socket),
    validFrom: isoDate(certificate.valid_from),
    validTo: isoDate(certificate.valid_to),
    issuer: (Array.isArray(issuer) ? issuer[0] : issuer) ?? null,
    names: certificate.subjectaltname?.split(', ').length ?? 0,
    protocol: socket.getProtocol(),
    fingerprint256: certificate.fingerprint256 ?? null,
  };
}

function isoDate(text: string | undefined): string | null {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
