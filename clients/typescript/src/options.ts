import { DroneMissionError } from './errors.ts';
import type { ClientCredentials, SuppliedToken } from './http/token-source.ts';

/** Where the service is, and how to call it. */
interface CommonOptions {
  /** The REST address, `https://…`. Variables of the environment may be passed as they are: a missing one is an error. */
  readonly baseUrl: string | undefined;
  /** The address of the channels, `wss://…`; needed to follow something and to publish telemetry. */
  readonly wsUrl?: string | null | undefined;
  /** Limit of one attempt in ms, 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Number of further attempts after one that failed, 4 by default. */
  readonly maxRetries?: number | undefined;
  /** A ping is sent on a channel that has been silent for so many ms, 60,000 by default. */
  readonly pingAfterMs?: number | undefined;
  /** Sends the requests instead of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Options of a client: with a client's credentials, or with an access token from somewhere else. */
export type ClientOptions = CommonOptions &
  ({ readonly [Name in keyof ClientCredentials]: string | undefined } | { readonly token: SuppliedToken });

/** Options with their defaults. */
export interface Settings {
  readonly baseUrl: string;
  readonly wsUrl: string | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly pingAfterMs: number;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly access: ClientCredentials | { readonly token: SuppliedToken };
}

const EXAMPLES = { baseUrl: 'https://api.example.com', wsUrl: 'wss://channels.example.com' } as const;

/** An address without a slash at the end. @throws DroneMissionError when it is none */
export function addressOf(option: keyof typeof EXAMPLES, value: unknown): string {
  const schemes = option === 'baseUrl' ? ['https:', 'http:'] : ['wss:', 'ws:'];
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !schemes.includes(url.protocol))
    // Without the value: a share link given by mistake has the share code.
    throw new DroneMissionError(`${option} must be an address such as ${EXAMPLES[option]}.`);
  return `${url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Checks the options and adds the defaults. @throws DroneMissionError that names the option */
export function settingsFrom(options: ClientOptions): Settings {
  const { baseUrl, wsUrl, timeoutMs = 30_000, maxRetries = 4, pingAfterMs = 60_000 } = options;
  return {
    baseUrl: addressOf('baseUrl', baseUrl),
    wsUrl: wsUrl === undefined || wsUrl === null ? undefined : addressOf('wsUrl', wsUrl),
    timeoutMs,
    maxRetries,
    pingAfterMs,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    access: accessFrom(options),
  };
}

function accessFrom(options: ClientOptions): Settings['access'] {
  if ('token' in options) return { token: options.token };
  const given = (name: keyof ClientCredentials): string => {
    const value = options[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new DroneMissionError(`${name} is missing: the operator of the service has issued it to you.`);
  };
  return { clientId: given('clientId'), clientSecret: given('clientSecret'), apiKey: given('apiKey') };
}
