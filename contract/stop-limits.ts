/** A limit or a lock, and what it means for `PAUSE`, `RETURN_HOME` and `LAND`. */
export interface StopLimit {
  /** Whose acts use it up. */
  readonly usedUpBy: string;
  /** Whether a stop is taken when those acts have used it up, and why. */
  readonly stop: string;
  /** The files in which this service refuses something for it; none: AWS does. */
  readonly refusedIn: readonly string[];
}

/**
 * Every limit that somebody reaches who steers or watches a drone, by its name in docs/guides/limits.md, which has this
 * table. Nothing uses up a stop: of each limit of this service a test tries that all three come through, with the
 * exception that is stated.
 */
export const stopLimits = {
  'commands of a client': {
    usedUpBy: 'the client itself',
    stop: 'passes: the client has as many stops again, which only its stops use up',
    refusedIn: ['lambdas/serve/serve.ts'],
  },
  'commands to a device': {
    usedUpBy: 'all clients and viewers',
    stop: 'passes: it does not count; the same stop within two seconds is one command',
    refusedIn: ['lambdas/commands/accept-command.ts'],
  },
  'commands to a device at the same moment': {
    usedUpBy: 'all clients and viewers',
    stop: 'passes: it is tried for seven seconds, other commands ten times; 429 then, if different stops came faster all the time: repeat it',
    refusedIn: ['lambdas/commands/decide-by-head.ts'],
  },
  'control of a device': {
    usedUpBy: 'the client or viewer that holds it',
    stop: 'passes; only `LAND` of a viewer does not',
    refusedIn: ['domain/commands/control-lease.ts'],
  },
  'commands of viewers': {
    usedUpBy: 'viewers of the share, and of other shares of the device',
    stop: 'passes: it does not count',
    refusedIn: ['lambdas/shares/control.lambda.ts'],
  },
  'stops of viewers': {
    usedUpBy: 'stops of viewers of the share',
    stop: 'passes if it is one of the first three of its viewer in this minute, which are 300 of a share at most; one that the device refuses does not count',
    refusedIn: ['lambdas/shares/control.lambda.ts'],
  },
  '`takeControl` of viewers': {
    usedUpBy: 'viewers of the share',
    stop: 'passes: it needs no control',
    refusedIn: ['lambdas/shares/take-control.lambda.ts'],
  },
  'other requests of a client': {
    usedUpBy: 'the client itself',
    stop: 'passes: each endpoint has a limit of its own',
    refusedIn: ['lambdas/serve/serve.ts', 'data/events/take-waiting-seat.ts'],
  },
  'mission files of an organisation at the same time': {
    usedUpBy: 'clients of the organisation',
    stop: 'passes: only files need a seat',
    refusedIn: ['data/missions/file-seats.ts'],
  },
  'connections and handshakes of a client': {
    usedUpBy: 'the client itself',
    stop: 'passes: it is a request of its own, not a message over a connection',
    refusedIn: ['lambdas/channels/connect.lambda.ts', 'lambdas/channels/handshake.ts', 'data/channels/connections.ts'],
  },
  'viewers of a share, and their handshakes': {
    usedUpBy: 'viewers of the share',
    stop: 'passes over a connection that is open; who can’t connect asks the organisation, whose clients don’t need one',
    refusedIn: ['lambdas/channels/open-session.ts', 'data/shares/share-viewers.ts'],
  },
  'token requests of an API key': {
    usedUpBy: 'the client itself',
    stop: 'passes with a token that is still valid: keep it, and renew it six minutes before its end',
    refusedIn: ['data/access/tokens.ts'],
  },
  'AWS: requests of an IP address, if the operator has set this limit': {
    usedUpBy: 'everybody behind the address',
    stop: 'is refused with 429 only if the commands of the address are more than the limit, since they are counted apart',
    refusedIn: [],
  },
  'AWS: requests and messages of all clients': {
    usedUpBy: 'everybody',
    stop: 'is refused with 429 without `Retry-After`, and over a WebSocket without `accepted`: repeat it after a second',
    refusedIn: [],
  },
  'AWS: functions that run at the same time': {
    usedUpBy: 'everybody',
    stop: 'is refused with 500, and over a WebSocket without `accepted`: repeat it after a second',
    refusedIn: [],
  },
} as const satisfies Readonly<Record<string, StopLimit>>;

export type StopLimitName = keyof typeof stopLimits;
