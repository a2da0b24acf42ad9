import type { IncomingHttpHeaders } from 'node:http';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface GivenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

type Said = Readonly<Record<string, unknown>>;

/** What is changed of all that a service says; what is left out stays as it is. */
export interface Sabotage {
  /** Gives another answer, or undefined for the real one. */
  readonly answer?: (asked: Asked, real: GivenAnswer) => GivenAnswer | undefined;
  /** Gives another message of a socket, its `text`, or undefined for none. */
  readonly message?: (path: string, real: Said) => Said | undefined;
  /** Gives another status for a handshake that is refused. */
  readonly handshake?: (path: string, real: number) => number;
  /** A word in messages over MQTT, and one of the same length in its place. */
  readonly mqtt?: readonly [word: string, other: string];
}

/** Changes what each of them changes; of two that swap words over MQTT, only the first does. */
export function together(all: readonly Sabotage[]): Sabotage {
  const mqtt = all.find((one) => one.mqtt)?.mqtt;
  return {
    answer: (asked, real) => all.reduce((given, one) => one.answer?.(asked, given) ?? given, real),
    message: (path, real) =>
      all.reduce<Said | undefined>((said, one) => (said && one.message ? one.message(path, said) : said), real),
    handshake: (path, real) => all.reduce((status, one) => one.handshake?.(path, status) ?? status, real),
    ...(mqtt && { mqtt }),
  };
}

/** Changes one answer: that to the nth request whose method and path match. */
export function answerTo(
  asked: RegExp,
  change: (real: GivenAnswer) => Partial<GivenAnswer>,
  { nth = 1, when = () => true }: { nth?: number; when?: (headers: IncomingHttpHeaders) => boolean } = {},
): Sabotage {
  let count = 0;
  return {
    answer({ method, path, headers }, real) {
      if (!asked.test(`${method} ${path}`) || !when(headers) || ++count !== nth) return undefined;
      return { ...real, ...change(real) };
    },
  };
}

/** Changes fields of the body of one answer; `undefined` takes a field out. */
export const bodyOf = (asked: RegExp, fields: object, nth = 1): Sabotage =>
  answerTo(asked, ({ body }) => ({ body: { ...body, ...fields } }), { nth });

/** Changes fields of the job or share in one answer. */
export const innerOf = (name: 'job' | 'share', asked: RegExp, fields: object, nth = 1): Sabotage =>
  answerTo(asked, ({ body }) => ({ body: { ...body, [name]: { ...(body[name] as object), ...fields } } }), { nth });

/** Changes messages of sockets whose path matches; `undefined` holds a message back. */
export const messagesOf = (paths: RegExp, change: (real: Said) => Said | undefined): Sabotage => ({
  message: (path, real) => (paths.test(path) ? change(real) : real),
});

/** Takes a header out of the answers that match. */
export const without = (header: string, { headers }: GivenAnswer): Partial<GivenAnswer> => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== header)),
});
