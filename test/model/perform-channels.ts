import { channels, topicOf } from '../../contract/channels';
import type { Caller } from './caller';
import type { Kind } from './channel-judge';
import { MqttConnection, shakeHands } from './connect';
import { seeJob } from './job-model';
import type { Operation } from './operations';
import { readShare } from './share-model';
import { nobodys, type JobRecord, type OpenFollower, type ShareRecord, type World } from './world';

type Given<Act extends Operation['act']> = Extract<Operation, { act: Act }>['given'];

/** MQTTS connections of the clients, by their names. */
export type Connections = ReadonlyMap<string, MqttConnection>;

function connectionOf(connections: Connections, { name }: Caller): MqttConnection {
  const connection = connections.get(name);
  if (!connection) throw new Error(`${name} is not connected over MQTTS`);
  return connection;
}

/** What is to be followed: a resource in play, or an identifier that names nothing. */
export interface Subject {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly isForeign: boolean;
  readonly job?: JobRecord | undefined;
  readonly share?: ShareRecord | undefined;
  readonly isNobodys: boolean;
}

function subjectOf(world: World, caller: Caller, { kind, target }: Given<'follow'>): Subject {
  const { organisation } = caller;
  const nobody = { kind, id: nobodys(kind, organisation), name: `nobody's ${kind}`, isForeign: false, isNobodys: true };
  if (kind === 'group') {
    const others = world.organisations.filter((other) => other !== organisation);
    const owner = target.whose === 'own' ? organisation : (others[target.pick % others.length] ?? organisation);
    const group = owner.groups[target.pick % owner.groups.length];
    if (target.whose === 'nobody' || !group) return nobody;
    const name = `a group of ${owner.name}`;
    return { kind, id: group.deviceGroupId, name, isForeign: owner !== organisation, isNobodys: false };
  }
  const found = kind === 'job' ? world.jobFor(caller, target) : world.shareFor(caller, target);
  if (!found) return nobody;
  const { id, name } = found;
  const isForeign = found.organisation !== organisation;
  return { kind, id, name, isForeign, isNobodys: false, ...('deviceId' in found ? { share: found } : { job: found }) };
}

const read = (text: string) => JSON.parse(text) as Record<string, unknown>;

/** What every follower has: where, whose, and what it hears. */
const following = (caller: Caller, over: 'MQTTS' | 'WSS', { kind, id }: Subject) => ({
  ...{ over, kind, id, tag: caller.organisation.tag },
  heard: [] as OpenFollower['heard'],
});

async function followOverWss(world: World, caller: Caller, subject: Subject): Promise<void> {
  const { kind, id, name, job, share, isForeign } = subject;
  const label = `${caller.name} follows ${name} over WSS`;
  const common = following(caller, 'WSS', subject);
  const hear = (text: string) => common.heard.push({ at: performance.now(), message: read(text) });
  const path = channels[kind].path.replace('{id}', id);
  const { status, socket, start, end } = await shakeHands(world.facts, path, caller.token, hear);
  if (!caller.may(channels[kind].scope) && status !== 403) world.complain(label, `${status} without the scope`);
  if (socket) {
    const leave = async () => {
      follower.left ??= performance.now();
      socket.close();
      await socket.closed;
    };
    const follower: OpenFollower = { ...common, opened: start, from: end, leave };
    world.followers.push(follower);
    void socket.closed.then((code) => (follower.closed = { at: performance.now(), code }));
  }
  if (!caller.may(channels[kind].scope)) return;
  const window = { start, end, label: `${label} → ${status}` };
  if (job) {
    const isThere = status === (isForeign ? 403 : 101);
    if (isThere || status === 404) job.steps.push(seeJob(window, isThere ? {} : { absent: true }));
    else world.complain(label, `${status}`);
  } else if (share) share.steps.push(readShare(window, { status }, isForeign, 101));
  else if (status !== (subject.isNobodys ? 404 : isForeign ? 403 : 101)) world.complain(label, `${status}`);
}

/** Follows a topic, unless the connection does already. */
export async function followOverMqtt(
  world: World,
  connection: MqttConnection,
  caller: Caller,
  subject: Subject,
): Promise<void> {
  const { kind, id, name, isForeign } = subject;
  const label = `${caller.name} follows ${name} over MQTTS`;
  const topic = topicOf({ kind, id });
  if (connection.isFollowing(topic)) return;
  const common = following(caller, 'MQTTS', subject);
  const opened = performance.now();
  const hear = (text: string) => common.heard.push({ at: performance.now(), message: read(text) });
  const isGranted = await connection.follow(topic, hear);
  const mayBe = caller.may(channels[kind].scope) && !isForeign;
  if (isGranted !== mayBe) world.complain(label, isGranted ? 'granted' : 'refused');
  if (!isGranted) return;
  const leave = async () => {
    follower.left ??= performance.now();
    await connection.unfollow(topic);
  };
  const follower: OpenFollower = { ...common, opened, from: performance.now(), leave };
  world.followers.push(follower);
}

export async function follow(
  world: World,
  connections: Connections,
  caller: Caller,
  given: Given<'follow'>,
): Promise<void> {
  const subject = subjectOf(world, caller, given);
  if (given.over === 'WSS') await followOverWss(world, caller, subject);
  else await followOverMqtt(world, connectionOf(connections, caller), caller, subject);
}

/** Ends one of the organisation's followers, if it has any. */
export async function unfollow(world: World, caller: Caller, { pick }: Given<'unfollow'>): Promise<void> {
  const own = world.followers.filter(({ tag, left }) => tag === caller.organisation.tag && left === undefined);
  // The youngest three stay, so that some follow for long.
  const old = own.slice(0, -3);
  await old[pick % Math.max(old.length, 1)]?.leave();
}
