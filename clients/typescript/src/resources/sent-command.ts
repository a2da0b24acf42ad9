import { sleep } from '../abort.ts';
import { isTemporary } from '../channels/temporary.ts';
import { DroneMissionError } from '../errors.ts';
import type { CallOptions } from '../http/call.ts';
import type { Command } from '../types.ts';

/** Pauses between two reads of a command, in ms: each is twice the one before it. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;

/** How long after `endBefore` a command without an outcome may take to become TIMED_OUT, in ms. */
const MARGIN_MS = 90_000;

/** A command that the service has taken. */
export class SentCommand {
  /**
   * @param command as it was when it was sent
   * @param read reads it again
   */
  constructor(
    readonly command: Command,
    private readonly read: (options: CallOptions) => Promise<Command>,
  ) {}

  /**
   * Waits until the command has ended, by reading it again and again; a service that can't be reached for a while does
   * not end that.
   * @returns the command: DONE, or REFUSED, FAILED, TIMED_OUT (nobody knows whether it was executed) or SUPERSEDED
   * @throws ApiError, ConnectionError, DroneMissionError when it has no outcome long after its time; the reason of the signal
   */
  async outcome(options: CallOptions = {}): Promise<Command> {
    const { requestedAt, endBefore } = this.command;
    // By the service's clock alone: that of this machine may be another.
    const latest = performance.now() + Date.parse(endBefore) - Date.parse(requestedAt) + MARGIN_MS;
    let found = this.command;
    let problem = new DroneMissionError(NO_OUTCOME);
    for (let pauseMs = FIRST_PAUSE_MS; !hasEnded(found); pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      if (performance.now() > latest) throw problem;
      await sleep(pauseMs, options.signal);
      try {
        found = await this.read(options);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (!(error instanceof DroneMissionError && isTemporary(error, true))) throw error;
        problem = error;
      }
    }
    return found;
  }
}

const hasEnded = ({ endedAt }: Command): boolean => endedAt !== undefined;

const NO_OUTCOME = 'The command has no outcome although its time is over: read it later with devices.getCommand.';
