import { groupBy } from './group-by';
import { isMove } from './job-model';

export type Kind = 'job' | 'group' | 'share';

/** A message as it came, and when, in ms. */
export interface Heard {
  readonly at: number;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Who follows a status channel, and what came of it. */
export interface Follower {
  readonly over: 'MQTTS' | 'WSS';
  readonly kind: Kind;
  readonly id: string;
  /** Tag of the organisation that follows. */
  readonly tag: string;
  readonly heard: readonly Heard[];
  /** The server has ended the connection, with this code. */
  readonly closed?: { readonly at: number; readonly code: number } | undefined;
  /** When it left by itself. */
  readonly left?: number | undefined;
}

/** Identifiers in a text that are not of an organisation: of their kind and tag only, since a share code is a secret. */
export function foreignIds(text: string, tag: string): string[] {
  const found = [...text.matchAll(/\b((?:job|group|device|stream|share)-([0-9a-z]{8}))-[0-9a-zA-Z]{22,}/g)];
  return found.flatMap(([, name = '', of]) => (of === tag ? [] : [name]));
}

/** The resource has gone: the last word on its channel. */
export const isLastWord = ({ deleted, type, shareState }: Heard['message']): boolean =>
  (deleted === true && type === 'job.status') || (shareState !== undefined && shareState !== 'ACTIVE');

export const isPosition = (message: Heard['message']): boolean =>
  message['type'] === 'job.status' &&
  ['droneState', 'dockState', 'navigation'].some((part) => message[part] !== undefined);

const idNames = { job: 'jobId', group: 'deviceGroupId', share: 'shareCode' } as const;
const types = { job: 'job.status', group: 'device.status', share: 'share.status' } as const;

/** What one message on its own must be. */
function faultsOfMessage({ kind, id, tag, over }: Follower, message: Heard['message']): string[] {
  const isOurs = message['type'] === types[kind] && message[idNames[kind]] === id;
  const foreign = foreignIds(JSON.stringify(message), tag);
  const [viewers, most] = [Number(message['currentViewers'] ?? 0), Number(message['maxViewers'] ?? 0)];
  return [
    ...(isOurs ? [] : ['a message of another channel']),
    ...(foreign.length > 0 ? [`a message that names ${foreign.join(', ')} of another organisation`] : []),
    ...(over === 'MQTTS' && message['snapshot'] ? ['a snapshot over MQTTS'] : []),
    ...(viewers < 0 || viewers > most ? [`${viewers} viewers of at most ${most}`] : []),
  ];
}

/** A job's state that follows another one: without a gap, and by a move of the lifecycle. */
function faultsOfMove(last: Heard['message'], message: Heard['message']): string[] {
  const [from, previous, to] = [last['jobState'], message['previousState'], message['jobState']].map(String);
  if (message['deleted'] || isPosition(message)) return from === to ? [] : [`${to} after ${from} without a move`];
  // What is retained later tells the state as it is, without the one before.
  if (message['previousState'] === undefined) return [];
  return [
    ...(previous === from ? [] : [`${previous} → ${to} after ${from}`]),
    ...(isMove(previous ?? '', to ?? '') ? [] : [`${previous} → ${to}, which is no move`]),
  ];
}

/** The messages about one subject: a job, a share, or a device of a group. */
function faultsOfOrder(follower: Follower, messages: readonly Heard['message'][]): string[] {
  const faults: string[] = [];
  const known = new Set<string>();
  let last: Heard['message'] | undefined;
  if (follower.over === 'WSS' && messages[0] && !messages[0]['snapshot'] && !isLastWord(messages[0]))
    faults.push('the first message is no snapshot');
  for (const message of messages) {
    // Positions on a job's channel have the sequence of the job and a moment of their own.
    const moment = isPosition(message) && message['timestamp'];
    const { sequence, snapshot, deleted, shareState } = message;
    const name = JSON.stringify([sequence, moment, snapshot, deleted, shareState]);
    // At least once: what has come already may come again.
    if (known.has(name)) continue;
    known.add(name);
    faults.push(...faultsOfMessage(follower, message));
    if (last) {
      const [before, now] = [Number(last['sequence']), Number(message['sequence'])];
      const mayRepeat = isPosition(message) || isPosition(last) || message['previousState'] === undefined;
      if (message['snapshot']) faults.push('a snapshot that is not the first message');
      if (isLastWord(last)) faults.push('a message after the last word');
      if (now < before || (now === before && !mayRepeat)) faults.push(`sequence ${now} after ${before}`);
      else if (follower.kind === 'job') faults.push(...faultsOfMove(last, message));
    }
    last = message;
  }
  return faults;
}

/** What a message is about: on the channel of a group each device has an order of its own. */
const subjectOf = ({ deviceId, type }: Heard['message']) => (type === 'device.status' ? String(deviceId) : '');

/**
 * What can't be explained of what a follower has heard: its messages one by one, in their order, and the end of its
 * connection (design, section 3: state first, then every change in order, at least once).
 */
export function channelFaults(follower: Follower): string[] {
  const messages = follower.heard.map(({ message }) => message);
  const bySubject = [...groupBy(messages, subjectOf).values()];
  const { closed } = follower;
  const isExplained = follower.left !== undefined || messages.some(isLastWord);
  return [
    ...bySubject.flatMap((own) => faultsOfOrder(follower, own)),
    ...(closed && !isExplained ? [`closed with ${closed.code} without a last word`] : []),
  ];
}

/** The last message about each subject. */
export const lastMessages = ({ heard }: Follower): ReadonlyMap<string, Heard['message']> =>
  new Map(heard.map(({ message }) => [subjectOf(message), message]));
