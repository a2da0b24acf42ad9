import { sleep, waitBefore } from '../waiting.ts';
import type { StatusFollowOptions } from '../channels/connection.ts';
import { isTemporary, ApiError } from '../errors.ts';
import { bodyOf, type CallOptions, type Rest } from '../http/rest.ts';
import type { EventsPage, EventsQuery, OrganisationEvent } from '../types.ts';

const REQUEST = 'GET /v3/events';

/** How long a call is held until there is something, in seconds. */
const LONGEST_WAIT_S = 20;
/** What a call that is held needs beside, at least, in seconds. */
const RESERVE_S = 5;

/** Pause after a call that was not held although nothing had happened: as many wait as the service can hold, in ms. */
const NOT_HELD_PAUSE_MS = 5000;

/** What a caller may want of the feed. */
export type FollowEventsOptions = Pick<StatusFollowOptions, 'after' | 'signal' | 'onGap'>;

/** The event log of the organisation: changes of jobs, devices, shares and commands. */
export class Events {
  readonly #waitS: number;

  /** @param timeoutMs limit of a call */
  constructor(
    private readonly rest: Rest,
    timeoutMs: number,
  ) {
    this.#waitS = Math.max(1, Math.min(LONGEST_WAIT_S, Math.floor(timeoutMs / 1000) - RESERVE_S));
  }

  /**
   * One page of what has happened after a cursor, oldest first; its `cursor` is what to ask for the next page with. Without
   * `after` it is empty, and its `cursor` that of now; `oldest` begins with the oldest event.
   * @throws ApiError, ConnectionError
   */
  async list(query: EventsQuery = {}, options: CallOptions = {}): Promise<EventsPage> {
    return (await bodyOf(REQUEST, this.rest.GET('/v3/events', { ...options, params: { query } }))) as EventsPage;
  }

  /**
   * What happens from now on, or since `after`: each change once and in order, by calls that the service holds until there is
   * something. Goes on after temporary failures, and with the oldest event when the log no longer reaches back to the cursor,
   * which `onGap` is told. Ends only by `break` or the signal.
   * @throws ApiError, ConnectionError when another attempt can't help; the reason of the signal
   */
  async *follow({ after, signal, onGap }: FollowEventsOptions = {}): AsyncGenerator<
    OrganisationEvent,
    void,
    undefined
  > {
    const options = signal ? { signal } : {};
    let cursor = after ?? (await this.list({}, options)).cursor;
    let hasRead = after === undefined;
    let failures = 0;
    for (;;) {
      const began = performance.now();
      const outcome = await this.list({ after: cursor, wait: this.#waitS }, options).catch((error: unknown) => {
        signal?.throwIfAborted();
        return { error };
      });
      if (!('error' in outcome)) {
        const isNotHeld = outcome.cursor === cursor && performance.now() - began < (this.#waitS * 1000) / 2;
        yield* outcome.events;
        ({ cursor } = outcome);
        hasRead = true;
        failures = 0;
        if (isNotHeld) await sleep(waitBefore(1, NOT_HELD_PAUSE_MS), signal);
      } else if (isUnknownCursor(outcome.error, hasRead) && cursor !== 'oldest') {
        onGap?.({ cursor });
        cursor = 'oldest';
      } else {
        if (!hasRead || !isTemporary(outcome.error, true)) throw outcome.error;
        const { retryAfterMs } = outcome.error as Partial<ApiError>;
        await sleep(waitBefore(++failures, retryAfterMs), signal);
      }
    }
  }
}

/**
 * Whether the log no longer knows a cursor: it has expired, or the service has lost its data.
 * @param isOurs whether the service has issued it to this caller
 */
const isUnknownCursor = (error: unknown, isOurs: boolean) =>
  error instanceof ApiError && (error.status === 410 || (isOurs && error.status === 400));
