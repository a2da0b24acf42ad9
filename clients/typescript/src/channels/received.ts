/** The fields of a message that its order depends on. */
export interface SequencedMessage {
  readonly type: string;
  readonly sequence?: number | undefined;
  readonly timestamp?: string | undefined;
  readonly snapshot?: true | undefined;
  readonly deleted?: true | undefined;
  readonly deviceId?: string | undefined;
  readonly jobState?: string | undefined;
  readonly previousState?: string | undefined;
  readonly shareState?: string | undefined;
}

/** Changes that were published while nobody listened; the message that follows has the state after them. */
export interface Gap {
  /** The device of a group's message, otherwise the type of message. */
  readonly subject: string;
  /** Sequence of the last message before the gap, and of the first one after it. */
  readonly from: number;
  readonly to: number;
}

interface LastMessage {
  readonly sequence: number;
  readonly positionAt: string;
  readonly jobState: string | undefined;
  readonly isDeleted: boolean;
}

const subjectOf = ({ type, deviceId }: SequencedMessage): string =>
  type.startsWith('device.') && deviceId !== undefined ? deviceId : type;

/** A job's channel also carries where its drone is, with the sequence of the job's state. */
const isPosition = (message: SequencedMessage): boolean =>
  message.type === 'job.status' && ['droneState', 'dockState', 'navigation'].some((field) => field in message);

/**
 * What a caller has been told, over all connections. Delivery is at least once and in order, and every connection begins with a
 * snapshot: so what is not newer is a repeat.
 */
export class ReceivedMessages {
  readonly #last = new Map<string, LastMessage>();

  /** @param onGap is told when changes were missed */
  constructor(private readonly onGap: ((gap: Gap) => void) | undefined) {}

  /** Whether a message is to be passed on; notes it if so. */
  accept(message: SequencedMessage): boolean {
    const { sequence, timestamp = '', jobState, deleted = false } = message;
    if (sequence === undefined) return true;
    const subject = subjectOf(message);
    const last = this.#last.get(subject);
    if (last && !isNewer(message, last)) return false;
    if (last && isGap(message, last)) this.onGap?.({ subject, from: last.sequence, to: sequence });
    const positionAt = isPosition(message) ? timestamp : (last?.positionAt ?? '');
    this.#last.set(subject, { sequence, positionAt, jobState, isDeleted: deleted });
    return true;
  }
}

function isNewer(message: SequencedMessage, last: LastMessage): boolean {
  const { sequence = 0, timestamp = '', deleted } = message;
  if (sequence > last.sequence) return true;
  if (sequence < last.sequence || last.isDeleted) return false;
  return deleted === true || (isPosition(message) && timestamp > last.positionAt);
}

/** A change that does not follow the state before it, or a snapshot that has moved on. */
function isGap({ snapshot, sequence = 0, previousState }: SequencedMessage, last: LastMessage): boolean {
  if (snapshot) return sequence > last.sequence + 1;
  return previousState !== undefined && last.jobState !== undefined && previousState !== last.jobState;
}
