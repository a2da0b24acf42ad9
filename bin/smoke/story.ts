import { openSocket, type OpenSocket } from '../client/socket';
import { Rest } from '../client/rest';
import { CleanUp } from './clean-up';
import { Inbox, type Message } from './inbox';
import type { Patience } from './patience';
import type { Target } from './target';
import { Missing, TookTooLong } from './unexpected';

/** An open WebSocket and what came over it. */
export interface Listener {
  readonly inbox: Inbox;
  readonly socket: OpenSocket;
}

/** What steps find out and make, for those after them. */
interface Facts {
  readonly token: string;
  /** The group and device that jobs are for, and the device whose telemetry is published. */
  readonly fleet: { readonly deviceGroupId: string; readonly deviceId: string; readonly observedId: string };
  /** A job for later, which no fleet takes. */
  readonly job: { readonly jobId: string };
  readonly topic: Inbox;
  readonly channel: Listener;
  readonly telemetry: Listener;
  /** When the published sample was taken; ISO 8601. */
  readonly sample: string;
  readonly share: { readonly shareCode: string };
  readonly viewer: Listener;
}

/** The state of one run: where it goes, what it has made, how long it may take. */
export class Story {
  readonly rest: Rest;
  readonly cleanUp = new CleanUp();
  readonly #facts: Partial<Facts> = {};
  #sockets = 0;

  /** @param signal aborts when the story is to end, with the reason */
  constructor(
    readonly target: Target,
    readonly patience: Patience,
    readonly signal: AbortSignal,
  ) {
    this.rest = new Rest(target.baseUrl, target.ca);
  }

  /** Leaves something for later steps. */
  give<Name extends keyof Facts>(name: Name, value: Facts[Name]): void {
    this.#facts[name] = value;
  }

  /** What an earlier step left. @throws Missing when it did not */
  take<Name extends keyof Facts>(name: Name): Facts[Name] {
    const found = this.#facts[name];
    if (found === undefined) throw new Missing(`needs what an earlier step did not give: ${name}`);
    return found;
  }

  /**
   * Does something that is told to end after a time, or with the story. (`AbortSignal.any` of Node 20 may forget the time:
   * nothing but it holds the signal of `AbortSignal.timeout`, which is then collected as garbage.)
   * @param ms after which the signal aborts with a TimeoutError
   */
  async within<Result>(ms: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const ending = new AbortController();
    const endWithStory = () => ending.abort(this.signal.reason);
    const timer = setTimeout(() => ending.abort(new TookTooLong()), ms);
    this.signal.addEventListener('abort', endWithStory);
    try {
      this.signal.throwIfAborted();
      return await work(ending.signal);
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener('abort', endWithStory);
    }
  }

  /**
   * Waits for the first message that fits, which may have come already.
   * @param expected says which, for people
   * @throws Unexpected with what came instead
   */
  hear(inbox: Inbox, expected: string, fits: (message: Message) => boolean): Promise<Message> {
    return this.within(this.patience.messageMs, (signal) => inbox.first(expected, fits, signal));
  }

  /**
   * Opens a WebSocket below {ws_url}, which is closed in the end.
   * @param token left out by viewers
   * @throws HandshakeRefused, or Error when nothing answers
   */
  async listen(path: string, token?: string): Promise<Listener> {
    const { wsUrl, ca } = this.target;
    if (wsUrl === undefined) throw new Missing('needs a WebSocket address');
    const inbox = new Inbox();
    const url = wsUrl + path;
    const socket = await openSocket({ url, ca, hear: inbox.hear, ...(token !== undefined && { token }) });
    void socket.closed.then(() => inbox.end());
    this.cleanUp.remember(`socket ${++this.#sockets}`, () => {
      socket.close();
      return Promise.resolve();
    });
    return { inbox, socket };
  }
}
