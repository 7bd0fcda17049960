import { DeadlineError } from '../../../foundation/deadline.ts';

/** Reasons by the code of the error; its own text may name internal addresses. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  ETIMEDOUT: 'the connection was not made in time',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not made in time',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is shorter than announced',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too large',
};

/** A short reason for people, without internal addresses. */
export function errorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError' || (error instanceof DeadlineError && error.reason === 'timeout'))
    return 'no answer in time';
  const code = String((error as { code?: unknown }).code ?? '');
  if (Object.hasOwn(REASONS, code)) return REASONS[code] ?? code;
  // Certificates and protocol: the code says it, the text repeats names and bytes.
  if (/^(ERR_|CERT_|HPE_|UND_ERR_|DEPTH_|SELF_|UNABLE_)/.test(code)) return code;
  return error.message !== '' ? error.message : code || error.name;
}
