import { openWebSocket, type OpenWebSocket } from '../client/websocket';
import { RestClient } from '../client/rest-client';
import { Inbox, type Message } from './inbox';
import type { Target } from './target';
import { MissingPrerequisite, TimedOut, reasonOf } from './errors';
import type { Part } from './command-line';

/** Timeouts of a run, in ms. Steps, clean-up and the longest handshake together stay below two minutes. */
export interface Timeouts {
  /** For an HTTP answer. */
  readonly answerMs: number;
  /** For a message or the end of a connection: on AWS some functions behind it may have a cold start. */
  readonly messageMs: number;
  /** For a fleet to queue a job, before it is assumed that there is none. */
  readonly fleetMs: number;
  /** For all steps together. */
  readonly runMs: number;
  /** For deleting what the steps created. */
  readonly cleanUpMs: number;
}

export const TIMEOUTS: Timeouts = {
  answerMs: 10_000,
  messageMs: 15_000,
  fleetMs: 5_000,
  runMs: 95_000,
  cleanUpMs: 15_000,
};

/** Undoes one thing that a step created. @throws Error with the reason when it fails */
type CleanUpAction = (signal: AbortSignal) => Promise<unknown>;

/** What the steps have created and must be removed at the end, whatever happens in between. */
class CleanUp {
  readonly #actions = new Map<string, CleanUpAction>();

  /** @param what name for people and for `remove`; replaces an earlier action of the same name */
  add(what: string, action: CleanUpAction): void {
    this.#actions.set(what, action);
  }

  /** Nothing is left to undo: it was deleted, or never existed. */
  remove(what: string): void {
    this.#actions.delete(what);
  }

  /**
   * Runs all actions, the last added first.
   * @returns what could not be undone, and why
   */
  async run(signal: AbortSignal): Promise<readonly string[]> {
    const failures: string[] = [];
    for (const [what, action] of [...this.#actions].reverse()) {
      try {
        await action(signal);
        this.#actions.delete(what);
      } catch (error) {
        failures.push(`${what}: ${reasonOf(error)}`);
      }
    }
    return failures;
  }
}

/** An open WebSocket and its messages. */
export interface Connection {
  readonly inbox: Inbox;
  readonly socket: OpenWebSocket;
}

/** Values that steps provide to later steps. */
interface Values {
  readonly token: string;
  /** Of the client that lacks a scope. */
  readonly narrowToken: string;
  /** The group and device that jobs use, and the device whose telemetry is published. */
  readonly fleet: { readonly deviceGroupId: string; readonly deviceId: string; readonly observedId: string };
  /** A scheduled job, which no fleet takes. */
  readonly job: { readonly jobId: string };
  /** A mission, deleted before the refusals. */
  readonly mission: { readonly missionId: string; readonly name?: string | undefined };
  readonly mqttInbox: Inbox;
  readonly jobChannel: Connection;
  readonly telemetry: Connection;
  /** Timestamp of the published sample, ISO 8601. */
  readonly sample: string;
  readonly share: { readonly shareCode: string };
  readonly viewer: Connection;
}

/** State of one run: its target, what it has created, its timeouts. */
export class SmokeContext {
  readonly rest: RestClient;
  readonly cleanUp = new CleanUp();
  readonly #values: Partial<Values> = {};
  #sockets = 0;

  /** @param signal aborts, with the reason, to end the run */
  constructor(
    readonly target: Target,
    readonly timeouts: Timeouts,
    readonly signal: AbortSignal,
  ) {
    this.rest = new RestClient(target.baseUrl, target.ca);
  }

  /** Provides a value to later steps. */
  set<Name extends keyof Values>(name: Name, value: Values[Name]): void {
    this.#values[name] = value;
  }

  /** Value of an earlier step. @throws MissingPrerequisite without one */
  get<Name extends keyof Values>(name: Name): Values[Name] {
    const found = this.#values[name];
    if (found === undefined) throw new MissingPrerequisite(`needs the result of an earlier step: ${name}`);
    return found;
  }

  /**
   * Runs a task that is aborted after a timeout or with the run. (Not `AbortSignal.any`: in Node 20 it does not keep
   * the signal of `AbortSignal.timeout` alive, so the timeout may be garbage-collected.)
   * @param ms after which the signal aborts with a TimeoutError
   */
  async withTimeout<Result>(ms: number, task: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const ending = new AbortController();
    const abortWithRun = () => ending.abort(this.signal.reason);
    const timer = setTimeout(() => ending.abort(new TimedOut()), ms);
    this.signal.addEventListener('abort', abortWithRun);
    try {
      this.signal.throwIfAborted();
      return await task(ending.signal);
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener('abort', abortWithRun);
    }
  }

  /**
   * Waits for the first message that matches, which may have come already.
   * @param expected describes it, for people
   * @throws Unexpected with what came instead
   */
  receive(inbox: Inbox, expected: string, matches: (message: Message) => boolean): Promise<Message> {
    return this.withTimeout(this.timeouts.messageMs, (signal) => inbox.first(expected, matches, signal));
  }

  /**
   * Opens a WebSocket below {ws_url}, which the clean-up closes.
   * @param token none for viewers
   * @throws HandshakeRefused, or Error without an answer
   */
  async openWebSocket(path: string, token?: string): Promise<Connection> {
    const { wsUrl, ca } = this.target;
    if (wsUrl === undefined) throw new MissingPrerequisite('needs a WebSocket address');
    const inbox = new Inbox();
    const url = wsUrl + path;
    const socket = await openWebSocket({ url, ca, onMessage: inbox.add, ...(token !== undefined && { token }) });
    void socket.closed.then(() => inbox.end());
    this.cleanUp.add(`socket ${++this.#sockets}`, () => {
      socket.close();
      return Promise.resolve();
    });
    return { inbox, socket };
  }
}

/** One action of a partner with its expected outcome. */
export interface Step {
  readonly name: string;
  /** Skipped with `--without` of this part. */
  readonly part?: Part;
  /**
   * @returns a note to print when it passed
   * @throws Unexpected for another outcome, MissingPrerequisite when an earlier step or the client did not provide what it needs
   */
  readonly run: (context: SmokeContext) => Promise<string | undefined>;
}
