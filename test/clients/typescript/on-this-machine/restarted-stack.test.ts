import { readFileSync } from 'node:fs';
import { DroneMissionClient, type ClientOptions, type JobEvent, type OrganisationEvent } from 'drone-mission-client';
import * as z from 'zod';
import { credentialsFile } from '../../../../bin/client/credentials-file';
import { until } from '../../../channels/until';
import { killableStack, type KillableStack } from '../../../faults/killable-stack';
import { collect } from '../given-client';
import { tcpProxyTo } from '../tcp-proxy';

/** A tenth of it is left for a new token, on a busy machine too. */
const LIFETIME_S = 20;
/** The waits between attempts are random: those of a few attempts may be over before the stack has restarted. */
const MAX_RETRIES = 20;
let stack: KillableStack;
beforeAll(async () => {
  stack = await killableStack(['--token-lifetime', String(LIFETIME_S)]);
  await stack.start();
});
afterAll(() => stack.remove());

const isOf = (event: OrganisationEvent, job: string, state?: string): event is JobEvent =>
  event.type === 'job.status' && event.jobId === job && (state === undefined || event.jobState === state);

function givenClient(more: Partial<ClientOptions> = {}) {
  const facts = credentialsFile.extend({ wsUrl: z.string() }).parse(JSON.parse(readFileSync(stack.stackFile, 'utf8')));
  const { baseUrl, wsUrl, partners } = facts;
  const [partner] = partners;
  if (!partner) throw new Error('the stack has a demo partner');
  const { clientId, clientSecret, apiKey, deviceGroups } = partner;
  const client = new DroneMissionClient({
    baseUrl,
    wsUrl,
    clientId,
    clientSecret,
    apiKey,
    maxRetries: MAX_RETRIES,
    ...more,
  });
  return { client, wsUrl, deviceGroupId: deviceGroups[0]?.deviceGroupId ?? '' };
}

describe('the TypeScript client', () => {
  test('follows a job and calls the API beyond the end of its token', async () => {
    const { client, deviceGroupId } = givenClient();
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    const { received, ended } = collect(client.jobs.follow(jobId));
    await until('the snapshot', () => received[0]);
    for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] as const) {
      const token = await client.accessToken();
      await until('a new token', async () => ((await client.accessToken()) === token ? undefined : true));
      await client.jobs.update(jobId, { status });
      await until(status, () => received.find(({ jobState }) => jobState === status));
    }
    await ended;
    expect(received.map(({ jobState }) => jobState)).toEqual(['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED']);
  });

  test('keeps its socket beyond the end of its token', async () => {
    const proxy = await tcpProxyTo(givenClient().wsUrl);
    const { client, deviceGroupId } = givenClient({ wsUrl: proxy.wsUrl });
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    const { received, ended } = collect(client.jobs.follow(jobId));
    await until('the snapshot', () => received[0]);
    const tokens = new Set<string>();
    await until('a third token', async () => (tokens.add(await client.accessToken()).size === 3 ? true : undefined));
    await client.jobs.update(jobId, { status: 'CANCELLED' });
    await ended;
    expect(received.map(({ jobState }) => jobState)).toEqual(['PENDING', 'CANCELLED']);
    expect(proxy.count()).toBe(1);
    await proxy.close();
  });

  test('follows a job and the feed over a restart of the stack, and loses no request meanwhile', async () => {
    const { client, deviceGroupId } = givenClient();
    const stop = new AbortController();
    const { cursor } = await client.events.list();
    const feed = collect(client.events.follow({ after: cursor, signal: stop.signal }));
    const { jobId } = await client.jobs.create({ name: 'Survey', deviceGroupId });
    const { received, ended } = collect(client.jobs.follow(jobId));
    await client.jobs.update(jobId, { status: 'QUEUED' });
    await until('QUEUED', () => received.find(({ jobState }) => jobState === 'QUEUED'));
    await stack.kill();
    const second = client.jobs.create({ name: 'While it restarts', deviceGroupId });
    await stack.start();
    expect(await second).toMatchObject({ status: 'PENDING' });
    await client.jobs.update(jobId, { status: 'IN_PROGRESS' });
    await client.jobs.update(jobId, { status: 'COMPLETED' });
    await ended;
    const states = received.map(({ jobState }) => jobState);
    // The snapshot may be later than QUEUED.
    expect(states.slice(-3)).toEqual(['QUEUED', 'IN_PROGRESS', 'COMPLETED']);
    expect(states.slice(0, -3)).toEqual(states.length > 3 ? ['PENDING'] : []);
    await until('the feed', () => feed.received.find((event) => isOf(event, jobId, 'COMPLETED')));
    const inFeed = feed.received.flatMap((event) => (isOf(event, jobId) ? [event.jobState] : []));
    expect(inFeed).toEqual(['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED']);
    stop.abort();
    const names: string[] = [];
    for await (const { name } of client.jobs.list()) names.push(name);
    expect(names.filter((name) => name === 'While it restarts')).toHaveLength(1);
  });
});
