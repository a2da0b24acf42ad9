import { commandStatusViolations } from './command-violations';
import { groupBy } from './group-by';
import { isTransition } from './job-model';

export type Kind = 'job' | 'group' | 'share';

/** A message and when it arrived, in ms. */
export interface ReceivedMessage {
  readonly at: number;
  readonly message: Readonly<Record<string, unknown>>;
}

/** A follower of a status channel and what it received. */
export interface Follower {
  readonly over: 'MQTTS' | 'WSS';
  readonly kind: Kind;
  readonly id: string;
  /** Tag of the follower's organisation. */
  readonly tag: string;
  readonly received: readonly ReceivedMessage[];
  /** When the server closed the connection, and with which code. */
  readonly closed?: { readonly at: number; readonly code: number } | undefined;
  /** When the follower left. */
  readonly left?: number | undefined;
}

/** Identifiers of other organisations in a text: kind and tag only, since share codes are secrets. */
export function foreignIds(text: string, tag: string): string[] {
  const found = [...text.matchAll(/\b((?:job|group|device|stream|share)-([0-9a-z]{8}))-[0-9a-zA-Z]{22,}/g)];
  return found.flatMap(([, name = '', of]) => (of === tag ? [] : [name]));
}

/** Whether a message is the final one of its channel: the resource was deleted or has ended. */
export const isFinal = ({ deleted, type, shareState }: ReceivedMessage['message']): boolean =>
  (deleted === true && type === 'job.status') || (shareState !== undefined && shareState !== 'ACTIVE');

export const isPosition = (message: ReceivedMessage['message']): boolean =>
  message['type'] === 'job.status' &&
  ['droneState', 'dockState', 'navigation'].some((part) => message[part] !== undefined);

/** Whether a message is about a command to a device, which the channels of its job and its group carry beside their own. */
export const isOfCommand = ({ type }: ReceivedMessage['message']): boolean => type === 'command.status';

/**
 * The service's own message on a WebSocket, from a minute after its handshake on: it says nothing of the channel
 * ("Heartbeat").
 */
const isHeartbeat = (message: ReceivedMessage['message']): boolean =>
  message['type'] === 'heartbeat' && Object.keys(message).length === 1;

/** What a follower keeps of a text that arrived now: its message; nothing of a heartbeat, which only WebSockets get. */
export function readMessages(over: Follower['over'], text: string): ReceivedMessage[] {
  const message = JSON.parse(text) as ReceivedMessage['message'];
  return over === 'WSS' && isHeartbeat(message) ? [] : [{ at: performance.now(), message }];
}

const idNames = { job: 'jobId', group: 'deviceGroupId', share: 'shareCode' } as const;
const types = { job: 'job.status', group: 'device.status', share: 'share.status' } as const;

/** Checks one message on its own. */
function messageViolations({ kind, id, tag, over }: Follower, message: ReceivedMessage['message']): string[] {
  const isOfType = message['type'] === types[kind] || (isOfCommand(message) && kind !== 'share');
  const isOurs = isOfType && message[idNames[kind]] === id;
  const foreign = foreignIds(JSON.stringify(message), tag);
  const [viewers, maxViewers] = [Number(message['currentViewers'] ?? 0), Number(message['maxViewers'] ?? 0)];
  return [
    ...(isOurs ? [] : ['a message of another channel']),
    ...(foreign.length > 0 ? [`a message with ${foreign.join(', ')} of another organisation`] : []),
    ...(over === 'MQTTS' && kind === 'group' && message['snapshot'] ? ['a snapshot of a device over MQTTS'] : []),
    ...(viewers < 0 || viewers > maxViewers ? [`${viewers} viewers of at most ${maxViewers}`] : []),
  ];
}

/** Checks a state of a job against the previous one: no gap, and a transition of the lifecycle. */
function transitionViolations(last: ReceivedMessage['message'], message: ReceivedMessage['message']): string[] {
  const [from, previous, to] = [last['jobState'], message['previousState'], message['jobState']].map(String);
  // Over MQTTS the state comes again when somebody else subscribes.
  if (message['deleted'] || message['snapshot']) return from === to ? [] : [`${to} after ${from} without a transition`];
  // A state that is retained later comes without the previous one.
  if (message['previousState'] === undefined) return [];
  return [
    ...(previous === from ? [] : [`${previous} → ${to} after ${from}`]),
    ...(isTransition(previous ?? '', to ?? '') ? [] : [`${previous} → ${to}, which is not a transition`]),
  ];
}

/** Checks a position: it has the last state, or the next one, when a stream was late ("Order, repeats and gaps"). */
function positionViolations(
  last: ReceivedMessage['message'],
  position: ReceivedMessage['message'],
  next: ReceivedMessage['message'] | undefined,
): string[] {
  const { sequence, jobState } = position;
  // Its sequence may be that of a later change of another field.
  const isNext = next?.['jobState'] === jobState && Number(next?.['sequence']) <= Number(sequence);
  if (Number(sequence) < Number(last['sequence']))
    return [`sequence ${String(sequence)} after ${String(last['sequence'])}`];
  return jobState === last['jobState'] || isNext
    ? []
    : [`${String(jobState)} after ${String(last['jobState'])} without a transition`];
}

/**
 * Checks the messages about one command: each status follows the one before. There is no snapshot of a command, and a
 * job that was deleted has a last one, which calls its drone home.
 */
function commandOrderViolations(follower: Follower, messages: readonly ReceivedMessage['message'][]): string[] {
  const changes = messages.map(({ sequence, status }) => ({ version: Number(sequence), status: String(status) }));
  return [...messages.flatMap((message) => messageViolations(follower, message)), ...commandStatusViolations(changes)];
}

/** Checks the messages about one subject: a job, a share, or a device of a group. */
function orderViolations(follower: Follower, messages: readonly ReceivedMessage['message'][]): string[] {
  const violations: string[] = [];
  const known = new Set<string>();
  let last: ReceivedMessage['message'] | undefined;
  if (follower.over === 'WSS' && messages[0] && !messages[0]['snapshot'] && !isFinal(messages[0]))
    violations.push('the first message is not a snapshot');
  for (const [index, message] of messages.entries()) {
    // Position messages on a job's channel have the job's sequence and their own timestamp.
    const timestamp = isPosition(message) && message['timestamp'];
    const { sequence, snapshot, deleted, shareState } = message;
    const name = JSON.stringify([sequence, timestamp, snapshot, deleted, shareState]);
    // Delivery is at least once: a repeat is allowed.
    if (known.has(name)) continue;
    known.add(name);
    violations.push(...messageViolations(follower, message));
    if (isPosition(message)) {
      const next = messages.slice(index + 1).find((later) => !isPosition(later));
      if (last && isFinal(last)) violations.push('a message after the final message');
      if (last) violations.push(...positionViolations(last, message, next));
      continue;
    }
    if (last) {
      const [before, now] = [Number(last['sequence']), Number(message['sequence'])];
      const mayRepeat = message['previousState'] === undefined;
      if (message['snapshot'] && follower.over === 'WSS') violations.push('a snapshot that is not the first message');
      if (isFinal(last)) violations.push('a message after the final message');
      if (now < before || (now === before && !mayRepeat)) violations.push(`sequence ${now} after ${before}`);
      else if (follower.kind === 'job') violations.push(...transitionViolations(last, message));
    }
    last = message;
  }
  return violations;
}

/** The subject of a message: on a group's channel each device has an order of its own, and so has each command. */
const subjectOf = ({ deviceId, commandId, type }: ReceivedMessage['message']) =>
  type === 'device.status' ? String(deviceId) : type === 'command.status' ? String(commandId) : '';

/**
 * Violations in what a follower received: each message, their order, and the end of the connection (design, section 3:
 * the state first, then every change in order, at least once).
 */
export function channelViolations(follower: Follower): string[] {
  const messages = follower.received.map(({ message }) => message);
  const bySubject = [...groupBy(messages, subjectOf).values()];
  const { closed } = follower;
  const isLinearizable = follower.left !== undefined || messages.some(isFinal);
  return [
    ...bySubject.flatMap((own) =>
      own.every(isOfCommand) ? commandOrderViolations(follower, own) : orderViolations(follower, own),
    ),
    ...(closed && !isLinearizable ? [`closed with ${closed.code} without a final message`] : []),
  ];
}

/** The last message about each subject. */
export const lastMessages = ({ received }: Follower): ReadonlyMap<string, ReceivedMessage['message']> =>
  new Map(received.map(({ message }) => [subjectOf(message), message]));

/** Changes that came with more than one timestamp, to one follower or to several: a partner would not know the repeat by it. */
export function timestampViolations(followers: readonly Follower[]): string[] {
  const changes = followers
    .flatMap(({ kind, id, received }) => received.map(({ message }) => ({ channel: `${kind} ${id}`, message })))
    .filter(({ message }) => !message['snapshot'] && !isPosition(message));
  const name = ({ channel, message }: (typeof changes)[number]) =>
    [channel, subjectOf(message), message['sequence'], message['deleted']].join(' ');
  return [...groupBy(changes, name).values()].flatMap((same) => {
    const times = [...new Set(same.map(({ message }) => String(message['timestamp'])))];
    const { type, sequence } = same[0]?.message ?? {};
    return times.length < 2 ? [] : [`${String(type)} with sequence ${String(sequence)} at ${times.join(' and ')}`];
  });
}
