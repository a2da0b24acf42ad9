import { ConnectionError, type ConnectionProblem } from './errors.ts';

/** Error codes of Node.js, of its HTTP client (undici) and of OpenSSL. */
const problems: Readonly<Record<string, ConnectionProblem>> = {
  ENOTFOUND: 'host-not-found',
  ECONNREFUSED: 'refused',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
  CERT_HAS_EXPIRED: 'certificate',
  CERT_NOT_YET_VALID: 'certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'not-the-api',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no-tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no-tls',
};

interface CodedError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}

const isCoded = (value: unknown): value is CodedError => typeof value === 'object' && value !== null;

/** The first known code along the causes of an error, and what it means. */
function diagnose(error: unknown): { readonly problem: ConnectionProblem; readonly code?: string } {
  for (let at = error; isCoded(at); at = at.cause) {
    if (at.name === 'TimeoutError') return { problem: 'timeout' };
    const problem = typeof at.code === 'string' ? problems[at.code] : undefined;
    if (problem) return { problem, code: at.code as string };
  }
  return { problem: 'interrupted' };
}

/** What is wrong with a certificate, and what to do about it. */
const certificateHints: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host',
  CERT_HAS_EXPIRED: 'has expired: check the clock of this machine, and tell the operator of the service',
  CERT_NOT_YET_VALID: 'is not valid yet: check the clock of this machine',
};

/** Which option holds an address. */
export type AddressOption = 'baseUrl' | 'wsUrl';

const messages: Readonly<
  Record<ConnectionProblem, (origin: string, host: string, option: AddressOption, code: string) => string>
> = {
  'host-not-found': (_, host, option) => `There is no host ${host}: check ${option}.`,
  refused: (origin, _, option) => `Nothing answers at ${origin}: check ${option}, and whether the service runs there.`,
  unreachable: (origin, _, option) => `${origin} can't be reached: check the network, a proxy, and ${option}.`,
  certificate: (origin, _, option, code) => {
    const hint = certificateHints[code];
    if (hint !== undefined)
      return `The certificate of ${origin} ${hint}${hint.includes(':') ? '' : `: check ${option}`}.`;
    return `The certificate of ${origin} is not from an authority that this machine trusts (${code}): check ${option}, or set NODE_EXTRA_CA_CERTS to the PEM file of the authority before Node.js starts.`;
  },
  'no-tls': (origin, _, option) => `${origin} does not use TLS: check scheme and port of ${option}.`,
  timeout: (origin) => `${origin} did not answer in time: try again, or raise timeoutMs.`,
  interrupted: (origin, _, option) =>
    `The connection to ${origin} failed or broke: try again, and check the network and ${option}.`,
  'not-the-api': (origin, _, option) => `What answers at ${origin} is not the Drone Mission API: check ${option}.`,
};

const connectionErrorOf = (
  problem: ConnectionProblem,
  url: string,
  option: AddressOption,
  code: string,
  cause?: unknown,
) => {
  const { origin, host, protocol } = new URL(url);
  // The origin of ws: and wss: is "null" in old engines.
  const where = origin === 'null' ? `${protocol}//${host}` : origin;
  return new ConnectionError(problem, messages[problem](where, host, option, code), { cause });
};

/**
 * The error of a request or a handshake that got no answer, as one line.
 * @param error as `fetch` or a WebSocket raised it
 * @param url whose origin alone is named: path and query may hold secrets
 */
export function connectionError(error: unknown, url: string, option: AddressOption): ConnectionError {
  const { problem, code = '' } = diagnose(error);
  return connectionErrorOf(problem, url, option, code, error);
}

/** The error for an answer that is not from this API. */
export const notTheApi = (url: string, option: AddressOption): ConnectionError =>
  connectionErrorOf('not-the-api', url, option, '');
