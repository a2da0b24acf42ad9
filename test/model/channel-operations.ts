import { channels } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import type { Caller } from './caller';
import { readMessages, type Kind } from './channel-violations';
import { MqttConnection, openWebSocket } from './connections';
import { observeJob } from './job-model';
import type { Operation } from './operations';
import { readShare } from './share-model';
import {
  unknownId,
  type JobRecord,
  type OpenFollower,
  type ShareRecord,
  type HistoryRecorder,
} from './history-recorder';

type Input<Name extends Operation['name']> = Extract<Operation, { name: Name }>['input'];

/** MQTTS connections of the clients, by name. */
export type Connections = ReadonlyMap<string, MqttConnection>;

function connectionOf(connections: Connections, { name }: Caller): MqttConnection {
  const connection = connections.get(name);
  if (!connection) throw new Error(`${name} is not connected over MQTTS`);
  return connection;
}

/** The resource to follow, or an unknown id. */
export interface Subject {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly isForeign: boolean;
  readonly job?: JobRecord | undefined;
  readonly share?: ShareRecord | undefined;
  readonly isNobodys: boolean;
}

function subjectOf(recorder: HistoryRecorder, caller: Caller, { kind, target }: Input<'follow'>): Subject {
  const { organisation } = caller;
  const unknown = {
    kind,
    id: unknownId(kind, organisation),
    name: `an unknown ${kind}`,
    isForeign: false,
    isNobodys: true,
  };
  if (kind === 'group') {
    const others = recorder.organisations.filter((other) => other !== organisation);
    const owner = target.whose === 'own' ? organisation : (others[target.pick % others.length] ?? organisation);
    const group = owner.groups[target.pick % owner.groups.length];
    if (target.whose === 'unknown' || !group) return unknown;
    const name = `a group of ${owner.name}`;
    return { kind, id: group.deviceGroupId, name, isForeign: owner !== organisation, isNobodys: false };
  }
  const found = kind === 'job' ? recorder.jobFor(caller, target) : recorder.shareFor(caller, target);
  if (!found) return unknown;
  const { id, name } = found;
  const isForeign = found.organisation !== organisation;
  return { kind, id, name, isForeign, isNobodys: false, ...('deviceId' in found ? { share: found } : { job: found }) };
}

/** Initial record of a follower. */
const following = (caller: Caller, over: 'MQTTS' | 'WSS', { kind, id }: Subject) => ({
  over,
  kind,
  id,
  tag: caller.organisation.tag,
  received: [] as OpenFollower['received'],
});

async function followOverWss(recorder: HistoryRecorder, caller: Caller, subject: Subject): Promise<void> {
  const { kind, id, name, job, share, isForeign } = subject;
  const label = `${caller.name} follows ${name} over WSS`;
  const common = following(caller, 'WSS', subject);
  const onMessage = (text: string) => common.received.push(...readMessages('WSS', text));
  const path = channels[kind].path.replace('{id}', id);
  const { status, socket, start, end } = await openWebSocket(recorder.facts, path, caller.token, onMessage);
  if (!caller.hasScope(channels[kind].scope) && status !== 403)
    recorder.addViolation(label, `${status} without the scope`);
  if (socket) {
    const leave = async () => {
      follower.left ??= performance.now();
      socket.close();
      await socket.closed;
    };
    const follower: OpenFollower = { ...common, opened: start, from: end, leave };
    recorder.followers.push(follower);
    void socket.closed.then((code) => (follower.closed = { at: performance.now(), code }));
  }
  if (!caller.hasScope(channels[kind].scope)) return;
  const window = { start, end, label: `${label} → ${status}` };
  if (job) {
    const isThere = status === (isForeign ? 403 : 101);
    if (isThere || status === 404) job.steps.push(observeJob(window, isThere ? {} : { absent: true }));
    else recorder.addViolation(label, `${status}`);
  } else if (share) share.steps.push(readShare(window, { status }, isForeign, 101));
  else if (status !== (subject.isNobodys ? 404 : isForeign ? 403 : 101)) recorder.addViolation(label, `${status}`);
}

/** Subscribes to a topic, unless the connection already has. */
export async function followOverMqtt(
  recorder: HistoryRecorder,
  connection: MqttConnection,
  caller: Caller,
  subject: Subject,
): Promise<void> {
  const { kind, id, name, isForeign } = subject;
  const label = `${caller.name} follows ${name} over MQTTS`;
  const topic = topicName({ kind, id });
  if (connection.isSubscribed(topic)) return;
  const common = following(caller, 'MQTTS', subject);
  const opened = performance.now();
  const onMessage = (text: string) => common.received.push(...readMessages('MQTTS', text));
  const isGranted = await connection.subscribe(topic, onMessage);
  const isAllowed = caller.hasScope(channels[kind].scope) && !isForeign;
  if (isGranted !== isAllowed) recorder.addViolation(label, isGranted ? 'granted' : 'refused');
  if (!isGranted) return;
  const leave = async () => {
    follower.left ??= performance.now();
    await connection.unsubscribe(topic);
  };
  const follower: OpenFollower = { ...common, opened, from: performance.now(), leave };
  recorder.followers.push(follower);
}

export async function follow(
  recorder: HistoryRecorder,
  connections: Connections,
  caller: Caller,
  input: Input<'follow'>,
): Promise<void> {
  const subject = subjectOf(recorder, caller, input);
  if (input.over === 'WSS') await followOverWss(recorder, caller, subject);
  else await followOverMqtt(recorder, connectionOf(connections, caller), caller, subject);
}

/** Follows a share of the caller's organisation over both transports. */
export async function followShare(
  recorder: HistoryRecorder,
  connections: Connections,
  caller: Caller,
  share: ShareRecord,
): Promise<void> {
  const subject = { kind: 'share', id: share.id, name: share.name, isForeign: false, share, isNobodys: false } as const;
  await followOverMqtt(recorder, connectionOf(connections, caller), caller, subject);
  await followOverWss(recorder, caller, subject);
}

/** Disconnects one of the organisation's followers, if any. */
export async function unfollow(recorder: HistoryRecorder, caller: Caller, { pick }: Input<'unfollow'>): Promise<void> {
  const own = recorder.followers.filter(({ tag, left }) => tag === caller.organisation.tag && left === undefined);
  // The youngest three stay, so that some follow for long.
  const old = own.slice(0, -3);
  await old[pick % Math.max(old.length, 1)]?.leave();
}
