import { readFileSync } from 'node:fs';
import { DroneMissionClient } from 'drone-mission-client';
import * as z from 'zod';
import { credentialsFile } from '../../../../bin/client/credentials-file';
import { until } from '../../../channels/until';
import { killableStack, type KillableStack } from '../../../faults/killable-stack';
import { collect } from '../given-client';

const LIFETIME_S = 4;
let stack: KillableStack;
beforeAll(async () => {
  stack = await killableStack(['--token-lifetime', String(LIFETIME_S)]);
  await stack.start();
});
afterAll(() => stack.remove());

function givenClient() {
  const facts = credentialsFile.extend({ wsUrl: z.string() }).parse(JSON.parse(readFileSync(stack.stackFile, 'utf8')));
  const { baseUrl, wsUrl, partners } = facts;
  const [partner] = partners;
  if (!partner) throw new Error('the stack has a demo partner');
  const { clientId, clientSecret, apiKey, deviceGroups } = partner;
  const client = new DroneMissionClient({ baseUrl, wsUrl, clientId, clientSecret, apiKey, maxRetries: 8 });
  return { client, deviceGroupId: deviceGroups[0]?.deviceGroupId ?? '' };
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

  test('follows a job over a restart of the stack, and loses no request meanwhile', async () => {
    const { client, deviceGroupId } = givenClient();
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
    expect(states.at(-1)).toBe('COMPLETED');
    expect(states).toEqual(
      ['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED'].filter((state) => states.includes(state as never)),
    );
    const names: string[] = [];
    for await (const { name } of client.jobs.list()) names.push(name);
    expect(names.filter((name) => name === 'While it restarts')).toHaveLength(1);
  });
});
