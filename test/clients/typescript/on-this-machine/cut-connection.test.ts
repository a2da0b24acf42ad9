import type { Gap } from 'drone-mission-client';
import { readFacts } from '../../../api/stack/facts';
import { until } from '../../../channels/until';
import { collect, givenClient } from '../given-client';
import { tcpProxyTo, type TcpProxy } from '../tcp-proxy';

let proxy: TcpProxy;
beforeAll(async () => {
  proxy = await tcpProxyTo(readFacts().wsUrl);
});
afterAll(() => proxy.close());

const given = (more: object = {}) => givenClient('typescript-cut', { wsUrl: proxy.wsUrl, ...more });
const statuses = ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] as const;

describe('a connection of the TypeScript client that is cut', () => {
  test('after each change: every state is received, and received once', async () => {
    const { client, deviceGroupId } = given();
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    const { received, ended } = collect(client.jobs.follow(jobId));
    await until('the snapshot', () => received[0]);
    for (const status of statuses) {
      await client.jobs.update(jobId, { status });
      await until(
        status,
        () => received.find(({ jobState }) => jobState === status),
        () => received,
      );
      const before = proxy.count();
      proxy.cut();
      if (status !== 'COMPLETED') await until('the next connection', () => (proxy.count() > before ? true : undefined));
    }
    await ended;
    expect(received.map(({ jobState }) => jobState)).toEqual(['PENDING', ...statuses]);
  });

  test('during changes: the snapshot has the state after them, and the gap is reported', async () => {
    const { client, deviceGroupId } = given();
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    const gaps: Gap[] = [];
    const { received, ended } = collect(client.jobs.follow(jobId, { onGap: (gap) => gaps.push(gap) }));
    const witness = collect(given({ wsUrl: readFacts().wsUrl }).client.jobs.follow(jobId));
    await until('the snapshots', () => received[0] && witness.received[0]);
    proxy.freeze();
    for (const status of ['QUEUED', 'IN_PROGRESS'] as const) await client.jobs.update(jobId, { status });
    // A change that is published only after the reconnect is not missed.
    await until('IN_PROGRESS', () => witness.received.find(({ jobState }) => jobState === 'IN_PROGRESS'));
    proxy.cut();
    await until('IN_PROGRESS', () => received.find(({ jobState }) => jobState === 'IN_PROGRESS'));
    await client.jobs.update(jobId, { status: 'COMPLETED' });
    await Promise.all([ended, witness.ended]);
    expect(received.map(({ jobState }) => jobState)).toEqual(['PENDING', 'IN_PROGRESS', 'COMPLETED']);
    expect(gaps).toEqual([{ subject: 'job.status', from: 1, to: 3 }]);
  });

  test('without a word is noticed by a ping', async () => {
    const { client, deviceGroupId } = given({ pingAfterMs: 200 });
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    const { received, ended } = collect(client.jobs.follow(jobId));
    await until('the snapshot', () => received[0]);
    const before = proxy.count();
    proxy.freeze();
    await client.jobs.update(jobId, { status: 'CANCELLED' });
    await ended;
    expect(proxy.count()).toBeGreaterThan(before);
    expect(received.map(({ jobState }) => jobState)).toEqual(['PENDING', 'CANCELLED']);
  });

  test('while telemetry is published and followed: each sample is accepted, and received at most once', async () => {
    const { client, deviceId } = given();
    const stop = new AbortController();
    const { received } = collect(client.telemetry.follow({ deviceId }, { signal: stop.signal }));
    const begin = Date.now();
    let count = 0;
    const publish = async () => {
      const timestamp = new Date(begin + count).toISOString();
      expect(await client.telemetry.publish({ deviceId, timestamp, battery: { percent: count++ % 100 } })).toBe(1);
    };
    for (let index = 0; index < 10; index++) {
      if (index % 4 === 3) proxy.cut();
      await publish();
    }
    // The follower may still be reconnecting, and a snapshot is up to a second older than the last sample.
    await until(
      'a sample after the last cut',
      async () => {
        await publish();
        return received.find(({ timestamp }) => Date.parse(timestamp) >= begin + 10);
      },
      () => received,
    );
    const times = received.map(({ timestamp }) => timestamp);
    expect(new Set(times).size).toBe(times.length);
    expect(times).toEqual(times.toSorted());
    stop.abort();
    client.close();
  });
});
