import type { IncomingHttpHeaders } from 'node:http';

interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ProxiedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

type Message = Readonly<Record<string, unknown>>;

/** Changes to the service's answers; what is undefined stays unchanged. */
export interface InjectedFault {
  /** Returns another answer, or undefined for the original. */
  readonly answer?: (request: ReceivedRequest, real: ProxiedAnswer) => ProxiedAnswer | undefined;
  /** Returns another message, one as `text`, or undefined to drop it. */
  readonly message?: (path: string, real: Message) => Message | undefined;
  /** Returns another status for a refused handshake. */
  readonly handshake?: (path: string, real: number) => number;
  /** A word in MQTT messages and its replacement of the same length. */
  readonly mqtt?: readonly [word: string, other: string];
}

/** Applies all faults; of several MQTT replacements only the first. */
export function combined(all: readonly InjectedFault[]): InjectedFault {
  const mqtt = all.find((one) => one.mqtt)?.mqtt;
  return {
    answer: (request, real) => all.reduce((given, one) => one.answer?.(request, given) ?? given, real),
    message: (path, real) =>
      all.reduce<Message | undefined>(
        (message, one) => (message && one.message ? one.message(path, message) : message),
        real,
      ),
    handshake: (path, real) => all.reduce((status, one) => one.handshake?.(path, status) ?? status, real),
    ...(mqtt && { mqtt }),
  };
}

/** Changes the answer to the nth request whose method and path match. */
export function alterAnswer(
  request: RegExp,
  change: (real: ProxiedAnswer) => Partial<ProxiedAnswer>,
  { nth = 1, when = () => true }: { nth?: number; when?: (headers: IncomingHttpHeaders) => boolean } = {},
): InjectedFault {
  let count = 0;
  return {
    answer({ method, path, headers }, real) {
      if (!request.test(`${method} ${path}`) || !when(headers) || ++count !== nth) return undefined;
      return { ...real, ...change(real) };
    },
  };
}

/** Changes fields of one answer's body; `undefined` removes a field. */
export const alterBody = (request: RegExp, fields: object, nth = 1): InjectedFault =>
  alterAnswer(request, ({ body }) => ({ body: { ...body, ...fields } }), { nth });

/** Changes fields of the resource of that name in one answer. */
export const alterResource = (
  name: 'job' | 'share' | 'mission',
  request: RegExp,
  fields: object,
  nth = 1,
): InjectedFault =>
  alterAnswer(request, ({ body }) => ({ body: { ...body, [name]: { ...(body[name] as object), ...fields } } }), {
    nth,
  });

/** Changes messages of sockets whose path matches; `undefined` drops a message. */
export const alterMessages = (paths: RegExp, change: (real: Message) => Message | undefined): InjectedFault => ({
  message: (path, real) => (paths.test(path) ? change(real) : real),
});

/** Removes a header from an answer. */
export const withoutHeader = (header: string, { headers }: ProxiedAnswer): Partial<ProxiedAnswer> => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== header)),
});
