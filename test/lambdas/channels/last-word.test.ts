import { DeleteConnectionCommand, PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { PublishCommand } from '@aws-sdk/client-iot-data-plane';
import { topicName } from '../../../contract/terms/channel-addresses';
import type { Follower } from '../../../data/channels/followers';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { jobToItem } from '../../../data/jobs/jobs';
import { endExpiredShare, endAllShares } from '../../../data/shares/shares';
import type { Share } from '../../../domain/shares/share';
import { handler as revokeHandler } from '../../../lambdas/shares/revoke-share.lambda';
import { handler as retain } from '../../../lambdas/channels/retain-status.lambda';
import { handler as sendSnapshot } from '../../../lambdas/channels/send-snapshot.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { snapshotRequests } from '../../data/fixtures/snapshot-function';
import { connection, gone, sockets } from '../../data/fixtures/sockets';
import { jobRecord, record } from '../../data/fixtures/stream-record';
import { broker } from '../../data/fixtures/topics';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { call } from '../fixtures/api-gateway';
import { run } from '../fixtures/status-fan-out';
import { deviceItem, later, shareItem, viewerSession } from '../fixtures/telemetry';

const engine = storeOnEngine('jobs', 'shares', 'connections', 'events', 'fleet');

type Message = Readonly<Record<string, unknown>>;
const shareCode = id('share');
const channel = `share#${shareCode}`;
const keys = { organisation: acme, shareCode };
const share = (change: Partial<Share> = {}) => shareItem({ version: 3, currentViewers: 2, ...change });

/** What has arrived at each socket and topic, in order; a socket takes nothing once it is closed. */
let arrived: Map<string, Message[]>;
let closed: Set<string>;
/** A message whose sender is slow: it arrives when it is let go. */
let held:
  | { readonly isIt: (message: Message) => boolean; readonly until: Promise<void>; letGo: () => void; begun: boolean }
  | undefined;

const arrivedAt = (receiver: string) => arrived.get(receiver) ?? [];
const statusesAt = (receiver: string) => arrivedAt(receiver).filter(({ type }) => type !== 'device.telemetry');

async function arrive(receiver: string, text: string): Promise<void> {
  const message = text === '' ? { cleared: true } : (JSON.parse(text) as Message);
  if (held?.isIt(message)) {
    held.begun = true;
    await held.until;
  }
  if (closed.has(receiver)) throw gone();
  arrived.set(receiver, [...arrivedAt(receiver), message]);
  // The worst moment for an older one: before the socket is closed.
  if (message['shareState'] !== 'ACTIVE') held?.letGo();
}

/** Lets the functions go on until nothing more can happen soon. */
const shortly = (ms = 120) => new Promise((done) => setTimeout(done, ms));
const until = async (holds: () => boolean) => {
  while (!holds()) await shortly(5);
};

beforeEach(() => {
  arrived = new Map();
  closed = new Set();
  held = undefined;
  process.env['RETENTION_QUEUE_URL'] = 'https://queue.test/retention';
  sockets
    .on(PostToConnectionCommand)
    .callsFake(async ({ ConnectionId, Data }: { ConnectionId: string; Data: string }) => {
      await arrive(ConnectionId, Data);
      return {};
    });
  sockets.on(DeleteConnectionCommand).callsFake(async ({ ConnectionId }: { ConnectionId: string }) => {
    await shortly(30);
    if (closed.has(ConnectionId)) throw gone();
    closed.add(ConnectionId);
    return {};
  });
  broker.on(PublishCommand).callsFake(async ({ topic, payload }: { topic: string; payload: Uint8Array }) => {
    await arrive(topic, new TextDecoder().decode(payload));
    return {};
  });
});

/** Holds the message that a predicate selects, until the returned function is called. */
function hold(isIt: (message: Message) => boolean): () => void {
  let letGo = () => {};
  held = { isIt, begun: false, until: new Promise((done) => (letGo = done)), letGo: () => letGo() };
  return held.letGo;
}

const viewerItem = (change: Partial<Follower> = {}) => {
  const { clientId: _, ...rest } = connection({
    channel,
    connectionId: 'viewer',
    shareCode,
    expiresAt: later,
    ...change,
  });
  return { ...rest, session: true, socketId: rest.connectionId };
};
const partnerItem = (change: Partial<Follower> = {}) => connection({ channel, connectionId: 'partner', ...change });

/** The records of the stream of shares, which the fan-out handles one after the other. */
const counted = (of: Share) =>
  record(
    keys,
    { ...share(of), version: of.version - 1, currentViewers: 1, topicUntil: later },
    { ...share(of), topicUntil: later },
  );
const ended = (of: Share) => record(keys, { ...share(of), topicUntil: later }, undefined, 2);

/** Handles the records in their order, as Lambda does, while `act` ends the share; the end is known once the share is deleted. */
async function whileCounted(of: Share, act: () => Promise<unknown>, marks: Partial<Share>): Promise<void> {
  await engine.put('shares', { ...of, topicUntil: later });
  const letGo = hold(({ sequence, shareState }) => shareState === 'ACTIVE' && sequence === of.version);
  const telling = run(counted(of));
  await until(() => held?.begun === true);
  const ending = act();
  while (await engine.get('shares', keys)) await shortly(5);
  await shortly();
  letGo();
  await telling;
  await run(ended({ ...of, ...marks }));
  for (const request of snapshotRequests()) await sendSnapshot(request);
  await ending;
}

/** Nothing with a lower sequence after a higher one, and the end is the last word. */
function expectLastWord(receiver: string, last: Message): void {
  const statuses = statusesAt(receiver).filter(({ cleared }) => !cleared);
  const sequences = statuses.map(({ sequence }) => Number(sequence));
  expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
  expect(statuses.at(-1)).toMatchObject(last);
}

/** A follower of the channel hears the end once, with its place in the log. */
const expectOneEnd = () =>
  expect(statusesAt('partner').filter((message) => message['shareState'] !== 'ACTIVE')).toEqual([
    expect.objectContaining({ sequence: 4, cursor: expect.any(String) as string }),
  ]);

const revoke = () =>
  call(revokeHandler, { scopes: ['share:manage'], path: { shareCode } }).then((answer) =>
    expect(answer.status).toBe(200),
  );
const expired = () => endExpiredShare(shareCode, '2999-01-02T00:00:00.000Z');
const offboarded = () => endAllShares(acme);
const revokedAt = '2026-11-27T10:40:00.000Z';

describe.each<[string, () => Promise<unknown>, Partial<Share>, string]>([
  ['is revoked', revoke, { revokedAt }, 'REVOKED'],
  ['expires', expired, { expired: true }, 'EXPIRED'],
  ['ends with its organisation', offboarded, {}, 'REVOKED'],
])('While a share %s, and a number of viewers is still being sent', (_, act, marks, shareState) => {
  test.each([
    ['few', 10],
    ['many', 51],
  ])(
    'each socket and the topic of one with %s places get the end last, and the sockets are closed',
    async (_name, maxViewers) => {
      await engine.put('connections', viewerItem(), partnerItem());
      const isWide = maxViewers > 50;
      if (isWide)
        await engine.put('connections', viewerItem({ connectionId: 'reader', broadcast: 'topic', openedAt: 1 }));
      await whileCounted(share({ maxViewers }), act, marks);
      for (const receiver of ['viewer', 'partner', ...(isWide ? ['reader'] : [])]) {
        expectLastWord(receiver, { shareState, sequence: 4 });
        expect(closed).toContain(receiver);
      }
      expectOneEnd();
      expectLastWord(topicName({ kind: 'share', id: shareCode }), { shareState, sequence: 4 });
    },
  );

  test('a follower that waits for its first messages gets the end after them', async () => {
    const session = viewerSession({ connectionId: 'viewer', expiresAt: later });
    const items = { connectionId: 'viewer', bufferingSince: Math.floor(Date.now() / 1000) };
    await engine.put('shares', share());
    await engine.put('fleet', { ...deviceItem(id('device')), ...fleetKey(acme, id('device')) });
    await engine.put(
      'connections',
      { ...session, channel: 'session#viewer' },
      viewerItem(items),
      viewerItem({ ...items, channel: `telemetry#${id('device')}` }),
      partnerItem({ bufferingSince: items.bufferingSince }),
    );
    const letGo = hold(({ snapshot, shareState }) => snapshot === true && shareState === 'ACTIVE');
    const first = [
      sendSnapshot({ kind: 'viewer', connectionId: 'viewer' }),
      sendSnapshot({ kind: 'channel', connection: partnerItem() }),
    ];
    await until(() => held?.begun === true);
    await shortly(20);
    const ending = act();
    while (await engine.get('shares', keys)) await shortly(5);
    const telling = run(ended(share(marks)));
    await shortly();
    letGo();
    await Promise.all([...first, ending, telling]);
    for (const receiver of ['viewer', 'partner']) {
      expectLastWord(receiver, { shareState, sequence: 4 });
      expect(closed).toContain(receiver);
    }
    expectOneEnd();
  });

  test('a follower of its channel gets the end once, whether the stream or the call is first', async () => {
    for (const isStreamFirst of [false, true]) {
      arrived.clear();
      closed.clear();
      await engine.put('shares', share());
      await engine.put('connections', viewerItem(), partnerItem());
      const ending = act();
      if (!isStreamFirst) await ending;
      while (await engine.get('shares', keys)) await shortly(5);
      await run(ended(share(marks)));
      await ending;
      expectOneEnd();
    }
  });
});

describe.each([
  ['job', 'jobs', { jobId: id('job') }, () => jobToItem(acme, sampleJob({ version: 3 })), { deleted: true }],
  ['share', 'shares', { shareCode }, share, { shareState: 'REVOKED' }],
] as const)('While a %s ends, and AWS IoT has not retained its state yet', (kind, table, key, itemOf, last) => {
  test('its topic gets the end last, after which it retains nothing', async () => {
    const keysOf = { organisation: acme, ...key };
    const item = { ...itemOf(), topicUntil: later };
    await engine.put(table, item);
    const letGo = hold(({ sequence }) => sequence === 3);
    const channelOf = { kind, id: Object.values(key)[0] ?? '' };
    const retaining = retain({ Records: [{ messageId: 'one', body: JSON.stringify(channelOf) }] } as never);
    await Promise.race([retaining, until(() => held?.begun === true)]);
    const after = await engine.get(table, keysOf);
    const again = run(record(keysOf, item, after));
    await until(() => held?.begun === true);
    await engine.answers('DeleteCommand')({ TableName: table, Key: keysOf });
    const ending = again.then(() => run(record(keysOf, item, undefined, 2)));
    await shortly();
    letGo();
    await Promise.all([retaining, ending]);
    const topic = topicName(channelOf);
    expectLastWord(topic, { sequence: 4, ...last });
    expect(arrivedAt(topic).at(-1)).toEqual({ cleared: true });
  });
});

describe('A wide share whose end is told by an invocation of its own', () => {
  test('is published no number of viewers again when the batch of its records is retried meanwhile', async () => {
    const of = share({ maxViewers: 51 });
    await engine.put(
      'connections',
      viewerItem(),
      viewerItem({ connectionId: 'reader', broadcast: 'topic', openedAt: 1 }),
    );
    await engine.put('shares', { ...of, topicUntil: later });
    await run(counted(of));
    await engine.answers('DeleteCommand')({ TableName: 'shares', Key: keys });
    await run(ended(of));
    const [request] = snapshotRequests();
    const letGo = hold(({ shareState }) => shareState === 'REVOKED');
    const telling = sendSnapshot(request);
    await until(() => held?.begun === true);
    held = undefined;
    await run(counted(of));
    letGo();
    await telling;
    for (const receiver of ['viewer', 'reader', topicName({ kind: 'share', id: shareCode })]) {
      expect(arrivedAt(receiver).filter(({ shareState }) => shareState === 'ACTIVE')).toHaveLength(
        receiver === 'reader' ? 0 : 1,
      );
      expectLastWord(receiver, { shareState: 'REVOKED', sequence: 4 });
    }
  });
});

test('a job that is deleted while its state is being sent says so last, also to a follower that waits for its first messages', async () => {
  const before = sampleJob({ status: 'FAILED', version: 3 });
  const ofJob = (connectionId: string) => connection({ connectionId, socketId: connectionId } as never);
  await engine.put('jobs', { ...jobToItem(acme, before), topicUntil: later });
  const waiting = { ...ofJob('waiting'), bufferingSince: Math.floor(Date.now() / 1000) };
  await engine.put('connections', ofJob('partner'), waiting);
  const letGo = hold(({ sequence, deleted }) => sequence === 3 && deleted === undefined);
  const first = sendSnapshot({ kind: 'channel', connection: waiting });
  const telling = run(
    jobRecord(sampleJob({ status: 'IN_PROGRESS', version: 2 }), before, 1, later),
    jobRecord(before, undefined, 2, later),
  );
  await until(() => held?.begun === true);
  await engine.answers('DeleteCommand')({ TableName: 'jobs', Key: { organisation: acme, jobId: before.jobId } });
  await shortly();
  letGo();
  await Promise.all([first, telling]);
  for (const receiver of ['partner', 'waiting', topicName({ kind: 'job', id: before.jobId })])
    expectLastWord(receiver, { deleted: true, sequence: 4 });
  expect([...closed].toSorted()).toEqual(['partner', 'waiting']);
});
