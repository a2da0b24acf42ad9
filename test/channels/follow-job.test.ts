import { topicName } from '../../contract/terms/channel-addresses';
import { statusMessages } from '../../contract/channels/status-messages';
import { clients } from '../api/client';
import { fleetOf, givenJob, givenJobThatIs } from '../api/given';
import { iso } from '../api/iso';
import type { Message } from './message-log';
import { subscribe } from './mqtt-client';
import { follow, followFromSnapshot, tryToFollow } from './socket';
import { cursorOfOrganisation } from './resume';
import { quiet, until } from './until';

const [partner] = clients('follow-job');
const cursor = cursorOfOrganisation(partner);
const channel = (jobId: string) => ({ kind: 'job', id: jobId }) as const;
const change = async (jobId: string, body: object) => {
  const { status } = await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body });
  expect(status).toBe(200);
};
const remove = (jobId: string) => partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId } });

describe('A follower of a job over WSS', () => {
  test('receives its state first, and then every change in order', async () => {
    const { jobId } = await givenJob(partner);
    const socket = await followFromSnapshot(partner, channel(jobId));
    for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED']) await change(jobId, { status });
    const messages = await socket.first(4);
    const { deviceGroupId } = fleetOf(partner);
    expect(messages[0]).toEqual({
      type: 'job.status',
      sequence: 1,
      jobId,
      deviceGroupId,
      jobState: 'PENDING',
      snapshot: true,
      cursor,
      timestamp: iso,
    });
    expect(messages.slice(1)).toEqual(
      [
        ['PENDING', 'QUEUED'],
        ['QUEUED', 'IN_PROGRESS'],
        ['IN_PROGRESS', 'COMPLETED'],
      ].map(([previousState, jobState], index) => ({
        type: 'job.status',
        sequence: 2 + index,
        jobId,
        deviceGroupId,
        jobState,
        previousState,
        cursor,
        timestamp: iso,
      })),
    );
  });

  test('receives the current state', async () => {
    const jobId = await givenJobThatIs('IN_PROGRESS', partner);
    const [snapshot] = await (await follow(partner, channel(jobId))).first(1);
    expect(snapshot).toMatchObject({ sequence: 3, jobState: 'IN_PROGRESS', snapshot: true });
  });

  test('receives the state first even during changes, and misses none after it', async () => {
    const { jobId } = await givenJob(partner);
    const connecting = Promise.all(Array.from({ length: 8 }, () => follow(partner, channel(jobId))));
    for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED']) await change(jobId, { status });
    const sockets = await connecting;
    await Promise.all(sockets.map((socket) => socket.like({ jobState: 'COMPLETED' })));
    await quiet();
    for (const { texts } of sockets) {
      const messages = texts.map((text) => JSON.parse(text) as Message);
      expect(messages[0]).toMatchObject({ snapshot: true });
      const sequences = messages.map(({ sequence }) => sequence ?? 0);
      const [first = 0] = sequences;
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
      expect([...new Set(sequences)]).toEqual(Array.from({ length: 5 - first }, (_, index) => first + index));
    }
  });
});

describe('A follower of a job over MQTTS', () => {
  test('receives the state as of subscribing, also of a job that ended before, and then every change in order with QoS 1', async () => {
    const [ended, running] = [await givenJobThatIs('FAILED', partner), await givenJobThatIs('QUEUED', partner)];
    const topics = [ended, running].map((jobId) => topicName(channel(jobId)));
    const listener = await subscribe(partner, ...topics);
    await Promise.all([listener.like({ jobId: ended }), listener.like({ jobId: running })]);
    await change(running, { status: 'IN_PROGRESS' });
    await change(running, { status: 'FAILED' });
    await listener.like({ jobId: running, jobState: 'FAILED' });
    const [first, ...others] = listener.messages.filter(({ jobId }) => jobId === running);
    expect(first).toEqual({
      type: 'job.status',
      snapshot: true,
      sequence: 2,
      jobId: running,
      jobState: 'QUEUED',
      timestamp: iso,
      deviceGroupId: fleetOf(partner).deviceGroupId,
      cursor,
    });
    expect(others).toMatchObject([
      { sequence: 3, jobState: 'IN_PROGRESS', previousState: 'QUEUED' },
      { sequence: 4, jobState: 'FAILED', previousState: 'IN_PROGRESS' },
    ]);
    expect(listener.messages.filter(({ jobId }) => jobId === ended)).toMatchObject([
      { snapshot: true, jobState: 'FAILED' },
    ]);
    expect(new Set(listener.received.map(({ qos }) => qos))).toEqual(new Set([1]));
  });

  test('receives the state at once as a retained message when another one has subscribed, who gets no repeat', async () => {
    const jobId = await givenJobThatIs('QUEUED', partner);
    // Whoever subscribes in the next one prolongs the audience, for which the state is published again.
    const halfHour = () => Math.floor(Date.now() / 1_800_000);
    const began = halfHour();
    const earlier = await subscribe(partner, topicName(channel(jobId)));
    await earlier.first(1);
    await change(jobId, { status: 'IN_PROGRESS' });
    await earlier.like({ jobState: 'IN_PROGRESS' });
    // AWS IoT retains one message of a topic a second.
    const late = await until('retaining the change', async () => {
      const listener = await subscribe(partner, topicName(channel(jobId)));
      await quiet();
      return listener.messages[0]?.jobState === 'IN_PROGRESS' ? listener : undefined;
    });
    expect(late.received[0]).toMatchObject({ retained: true, qos: 1 });
    expect(earlier.messages).toHaveLength(2);
    const snapshots = earlier.texts.filter((text) => text.includes('snapshot'));
    expect(snapshots.length).toBeLessThanOrEqual(1 + halfHour() - began);
  });

  test('receives the state of a new job if it subscribes right after its creation', async () => {
    const { jobId } = await givenJob(partner);
    const listener = await subscribe(partner, topicName(channel(jobId)));
    const [first] = await listener.first(1);
    expect(first).toEqual({
      type: 'job.status',
      snapshot: true,
      sequence: 1,
      jobId,
      deviceGroupId: fleetOf(partner).deviceGroupId,
      jobState: 'PENDING',
      cursor,
      timestamp: iso,
    });
  });
});

describe('A change of a job', () => {
  test('is the same message over WSS and MQTTS, valid by the contract', async () => {
    const { jobId } = await givenJob(partner, { deviceId: fleetOf(partner).deviceId });
    const socket = await followFromSnapshot(partner, channel(jobId));
    const listener = await subscribe(partner, topicName(channel(jobId)));
    await listener.first(1);
    await change(jobId, { status: 'QUEUED' });
    await partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } });
    await Promise.all([socket.like({ jobState: 'CANCELLED' }), listener.like({ jobState: 'CANCELLED' })]);
    const overWss = socket.texts.slice(-2);
    expect(listener.texts.slice(-2)).toEqual(overWss);
    for (const text of overWss) {
      const message: unknown = JSON.parse(text);
      expect(statusMessages['job.status'].parse(message)).toEqual(message);
    }
  });

  test('of other fields than the status publishes nothing', async () => {
    const { jobId } = await givenJob(partner);
    const socket = await followFromSnapshot(partner, channel(jobId));
    const listener = await subscribe(partner, topicName(channel(jobId)));
    await listener.first(1);
    await change(jobId, { name: 'Another name', priority: 9, metadata: { site: 'south' } });
    await change(jobId, { status: 'QUEUED' });
    expect(await socket.first(2)).toMatchObject([{ sequence: 1 }, { sequence: 3, previousState: 'PENDING' }]);
    expect(await listener.first(2)).toMatchObject([{ sequence: 1 }, { sequence: 3 }]);
  });

  test('that is refused publishes nothing', async () => {
    const jobId = await givenJobThatIs('COMPLETED', partner);
    const socket = await followFromSnapshot(partner, channel(jobId));
    await partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } });
    await quiet();
    expect(socket.messages).toMatchObject([{ jobState: 'COMPLETED', snapshot: true }]);
  });
});

describe('Deleting a job', () => {
  test('publishes a final message, closes its sockets and clears the retained message', async () => {
    const jobId = await givenJobThatIs('QUEUED', partner);
    const topic = topicName(channel(jobId));
    const socket = await followFromSnapshot(partner, channel(jobId));
    const listener = await subscribe(partner, topic);
    await listener.like({ jobState: 'QUEUED' });
    await remove(jobId);
    const last = { sequence: 3, jobState: 'QUEUED', deleted: true };
    await socket.like(last);
    expect(await socket.closed).toMatchObject({ code: 1000 });
    expect(socket.messages.at(-1)).toMatchObject(last);
    await listener.like(last);
    expect(listener.texts.at(-1)).toBe(socket.texts.at(-1));

    await until('clearing the retained message', () => listener.received.at(-1)?.text === '' || undefined);
    const late = await subscribe(partner, topic);
    await quiet();
    expect(late.received).toEqual([]);
    expect(await tryToFollow(partner, channel(jobId))).toMatchObject({ status: 404 });
  });
});
