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

const given = (more: object = {}, index = 0) => givenClient('typescript-cut', { wsUrl: proxy.wsUrl, ...more }, index);
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

  test('during changes: they are replayed in order, and there is no gap', async () => {
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
    expect(received.map(({ jobState }) => jobState)).toEqual(['PENDING', ...statuses]);
    expect(received.map(({ replayed = false }) => replayed)).toEqual([false, true, true, false]);
    expect(gaps).toEqual([]);
  });

  test('is resumed by another program with the cursor of the last message', async () => {
    const { client, deviceGroupId } = given();
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    let after: string | undefined;
    for await (const { cursor } of client.jobs.follow(jobId)) {
      after = cursor;
      break;
    }
    for (const status of statuses) await client.jobs.update(jobId, { status });
    const { received, ended } = collect(given().client.jobs.follow(jobId, { after }));
    await ended;
    expect(received.map(({ jobState }) => jobState)).toEqual(statuses);
    const timeline = await client.jobs.events(jobId);
    expect(timeline.map(({ jobState }) => jobState)).toEqual(['PENDING', ...statuses]);
    expect(timeline.at(-1)).toMatchObject({ cursor: received.at(-1)?.cursor });
  });

  test('and whose cursor the service does not know is followed from the state, and the gap is reported', async () => {
    const { client, deviceGroupId } = given();
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    const gaps: Gap[] = [];
    const after = 'event-00000000-0000000001';
    const { received, ended } = collect(client.jobs.follow(jobId, { after, onGap: (gap) => gaps.push(gap) }));
    await until('the snapshot', () => received[0]);
    await client.jobs.update(jobId, { status: 'CANCELLED' });
    await ended;
    expect(received).toMatchObject([{ jobState: 'PENDING', snapshot: true }, { jobState: 'CANCELLED' }]);
    expect(gaps).toEqual([{ cursor: after }]);
  });

  test('again and again during changes: each is received once and in order, over channels and the feed', async () => {
    const { client, deviceGroupId } = given();
    const stop = new AbortController();
    const { cursor } = await client.events.list();
    const feed = collect(client.events.follow({ after: cursor, signal: stop.signal }));
    const gaps: Gap[] = [];
    const followed = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
        // Of several clients: 6 followers and 18 cuts may take almost all handshakes of a client's minute.
        const follower = given({}, index % 3).client;
        return { jobId, ...collect(follower.jobs.follow(jobId, { onGap: (gap) => gaps.push(gap) })) };
      }),
    );
    await until('the snapshots', () => followed.every(({ received }) => received.length > 0) || undefined);
    for (const status of statuses)
      for (const { jobId } of followed) {
        proxy.cut();
        await client.jobs.update(jobId, { status });
      }
    await Promise.all(followed.map(({ ended }) => ended));
    const states = followed.map(({ received }) => received.map(({ jobState }) => jobState));
    expect(states).toEqual(followed.map(() => ['PENDING', ...statuses]));
    expect(gaps).toEqual([]);
    const ofJobs = () => feed.received.filter((event) => event.type === 'job.status');
    await until('the feed', () => (ofJobs().length === 24 ? true : undefined), ofJobs);
    for (const { jobId } of followed) {
      const inFeed = ofJobs().filter((event) => event.jobId === jobId);
      expect(inFeed.map(({ jobState }) => jobState)).toEqual(['PENDING', ...statuses]);
    }
    stop.abort();
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

describe('an address of the TypeScript client', () => {
  // The MQTT broker of a stack on this machine has a certificate of the stack's own authority.
  const { mqttUrl } = readFacts();

  test('whose certificate this machine does not trust is refused in one line that says what to do', async () => {
    const wsUrl = mqttUrl.replace('mqtts:', 'wss:');
    const { client: follower } = givenClient('typescript-client', { wsUrl });
    await expect(follower.jobs.follow('job-1').next()).rejects.toMatchObject({
      problem: 'certificate',
      message: `The certificate of ${wsUrl} is not from an authority that this machine trusts (SELF_SIGNED_CERT_IN_CHAIN): check wsUrl, or set NODE_EXTRA_CA_CERTS to the PEM file of the authority before Node.js starts.`,
    });
  });

  test('of another service is refused in one line that says what to do', async () => {
    const baseUrl = mqttUrl.replace('mqtts:', 'https:');
    await expect(givenClient('typescript-client', { baseUrl }).client.jobs.page()).rejects.toMatchObject({
      problem: 'not-the-api',
      message: `What answers at ${baseUrl} is not the Drone Mission API: check baseUrl.`,
    });
  });
});
