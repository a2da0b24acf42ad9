/** The fields of a message that its order depends on. */
export interface SequencedMessage {
  readonly type: string;
  readonly sequence?: number | undefined;
  /** Position in the event log; cursors of an organisation sort as text. */
  readonly cursor?: string | undefined;
  readonly timestamp?: string | undefined;
  readonly snapshot?: boolean | undefined;
  readonly deleted?: boolean | undefined;
  readonly deviceId?: string | undefined;
  readonly commandId?: string | undefined;
  readonly jobState?: string | undefined;
  readonly previousState?: string | undefined;
  readonly shareState?: string | undefined;
}

/**
 * Changes of one device or resource that were published while nobody listened; the message that follows has the state
 * after them.
 */
export interface SequenceGap {
  /** The device of a group's message, otherwise the type of message. */
  readonly subject: string;
  /** Sequence of the last message before the gap, and of the first one after it. */
  readonly from: number;
  readonly to: number;
}

/** The event log no longer has what was missed, of whatever device or resource; the current state follows. */
export interface LogGap {
  /** Of the last change before the gap. */
  readonly cursor: string;
}

/** Changes that were missed. */
export type Gap = SequenceGap | LogGap;

interface LastState {
  readonly sequence: number;
  readonly jobState: string | undefined;
  readonly isDeleted: boolean;
}

interface LastPosition {
  readonly sequence: number;
  readonly timestamp: string;
}

const subjectOf = ({ type, deviceId }: SequencedMessage): string =>
  type.startsWith('device.') && deviceId !== undefined ? deviceId : type;

/** Channels of jobs and device groups also carry what becomes of commands. */
export const isCommand = ({ type }: SequencedMessage): boolean => type === 'command.status';

/** A job's channel also carries where its drone is, with the sequence of the job's state. */
const isPosition = (message: SequencedMessage): boolean =>
  message.type === 'job.status' && ['droneState', 'dockState', 'navigation'].some((field) => field in message);

/**
 * What a caller has been told, over all connections. Delivery is at least once and in order for each device or resource, and a
 * connection begins with a snapshot or with what was missed: so what is not newer is a repeat.
 */
export class ReceivedMessages {
  readonly #last = new Map<string, LastState>();
  readonly #commands = new ReceivedCommands();
  #lastPosition: LastPosition | undefined;

  /**
   * @param deliver gets each message that is new
   * @param onGap is told when changes were missed
   * @param cursor of the last change that the caller knows
   * @param type of the messages beside those about commands: others, which a later service may send, are passed over as if they
   *   had not come, since their cursors may overtake those of this type; undefined for all
   */
  constructor(
    private readonly deliver: (message: SequencedMessage) => void,
    private readonly onGap: ((gap: Gap) => void) | undefined,
    private cursor?: string | undefined,
    private readonly type?: string | undefined,
  ) {}

  /** What to resume after; undefined before the first cursor, and on channels without cursors. */
  get resumeAfter(): string | undefined {
    return this.cursor;
  }

  /** The current state follows instead of what was missed: tells of it, and takes that state as new. */
  startAgain(): void {
    const { cursor } = this;
    this.#last.clear();
    this.#lastPosition = undefined;
    this.cursor = undefined;
    if (cursor !== undefined) this.onGap?.({ cursor });
  }

  /** Passes a message on unless it is a repeat. */
  receive(message: SequencedMessage): void {
    if (this.#accept(message)) this.deliver(message);
  }

  #accept(message: SequencedMessage): boolean {
    const { sequence, jobState, deleted = false } = message;
    if (isCommand(message)) return this.#commands.isNew(message);
    if (this.type !== undefined && message.type !== this.type) return false;
    if (sequence === undefined) return true;
    if (isPosition(message)) return this.#acceptPosition(message, sequence);
    if (this.#isRepeat(message)) return false;
    this.#noteCursor(message);
    const subject = subjectOf(message);
    const last = this.#last.get(subject);
    if (last && !isNewer(message, last)) return false;
    if (last && isGap(message, last)) this.onGap?.({ subject, from: last.sequence, to: sequence });
    this.#last.set(subject, { sequence, jobState, isDeleted: deleted });
    return true;
  }

  /** A position may come before the change to the state that it names, which is still new then. */
  #acceptPosition(message: SequencedMessage, sequence: number): boolean {
    const { timestamp = '' } = message;
    const state = this.#last.get(subjectOf(message));
    if (state && (state.isDeleted || sequence < state.sequence)) return false;
    const last = this.#lastPosition;
    if (last && (sequence < last.sequence || (sequence === last.sequence && timestamp <= last.timestamp))) return false;
    this.#lastPosition = { sequence, timestamp };
    return true;
  }

  /** Changes of a group's devices may come in another order than their cursors: there the device's sequence tells repeats. */
  #isRepeat({ type, cursor, snapshot }: SequencedMessage): boolean {
    if (snapshot || type === 'device.status') return false;
    return cursor !== undefined && this.cursor !== undefined && cursor <= this.cursor;
  }

  /** The cursor of a snapshot comes with its last message. */
  #noteCursor({ cursor = '' }: SequencedMessage): void {
    if (cursor > (this.cursor ?? '')) this.cursor = cursor;
  }
}

function isNewer({ sequence = 0, deleted }: SequencedMessage, last: LastState): boolean {
  if (sequence > last.sequence) return true;
  return sequence === last.sequence && deleted === true && !last.isDeleted;
}

/** A change that does not follow the state before it, or a snapshot that has moved on. */
function isGap({ snapshot, sequence = 0, previousState }: SequencedMessage, last: LastState): boolean {
  if (snapshot) return sequence > last.sequence + 1;
  return previousState !== undefined && last.jobState !== undefined && previousState !== last.jobState;
}

/** As many messages as the service sends again to a client that resumes. */
const MAX_REMEMBERED = 1000;

/**
 * What a caller has been told of commands. They have no part in the cursor of a channel: their changes may come before those of
 * a job or a device whose cursors are lower, so after a reconnection some come again.
 */
class ReceivedCommands {
  /** The last sequence of each command, the oldest command first. */
  readonly #sequences = new Map<string, number>();

  /** Whether a message about a command is no repeat; remembers it. */
  isNew({ commandId = '', sequence = 0 }: SequencedMessage): boolean {
    const last = this.#sequences.get(commandId);
    if (last !== undefined && sequence <= last) return false;
    this.#sequences.delete(commandId);
    this.#sequences.set(commandId, sequence);
    const [oldest] = this.#sequences.keys();
    if (this.#sequences.size > MAX_REMEMBERED && oldest !== undefined) this.#sequences.delete(oldest);
    return true;
  }
}
