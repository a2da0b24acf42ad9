import { digestShareCode } from '../../data/shares/share-id';
import type { Client } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { runOperatorCommand } from '../api/stack/aws-access';
import { newcomers } from './newcomers';
import { topicName } from '../../contract/terms/channel-addresses';
import { subscribe } from './mqtt-client';
import { follow } from './socket';
import { watch } from './telemetry-socket';
import { until } from './until';

const shown = async (...words: string[]): Promise<unknown> => JSON.parse(await runOperatorCommand(...words));

/** Shows something until it is like this: events and changes arrive a moment later. */
const shownLike = (expected: object, ...words: string[]) =>
  until(
    `showing ${words.join(' ')}`,
    async () => {
      const found = await shown(...words);
      try {
        expect(found).toMatchObject(expected);
        return true;
      } catch {
        return undefined;
      }
    },
    () => expected,
  );

test('an operator sees a job, a share, a device and a client, ends the share, and raises a limit', async () => {
  const [client] = (await newcomers('Watched', ['watched'])) as [Client];
  const { clientId } = client.credentials;
  const { deviceId } = fleetOf(client);
  const { jobId } = await givenJob(client);
  const { shareCode } = await givenShare(client);
  const channel = { kind: 'job', id: jobId } as const;
  await follow(client, channel);
  await subscribe(client, topicName(channel));
  const viewer = await watch(shareCode);

  const one = { [clientId]: 1 };
  await shownLike(
    {
      status: 'PENDING',
      createdBy: clientId,
      timeline: [{ to: 'PENDING' }],
      followers: { sockets: one, mqttSubscriptions: one },
    },
    'job',
    jobId,
  );
  await shownLike({ shareId: digestShareCode(shareCode), currentViewers: 1, createdBy: clientId }, 'share', shareCode);
  await shownLike(
    { followers: { sockets: { viewers: 1 } }, shares: [{ shareId: digestShareCode(shareCode) }] },
    'device',
    deviceId,
  );
  await shownLike({ status: 'active', openSockets: 1, mqttSubscriptions: 1, jobs: [{ jobId }] }, 'client', clientId);

  await runOperatorCommand('revoke-share', digestShareCode(shareCode), '--yes');
  await viewer.closed;
  expect(viewer.messages.at(-1)).toMatchObject({ type: 'share.status', shareState: 'REVOKED' });

  await runOperatorCommand('limits', clientId, '--jobs-per-minute', '300', '--now');
  const limitOfJobs = async () => {
    const { body } = await client.call('GET /v3/limits');
    return body.limits.rates.find(({ operation }) => operation === 'POST /v3/jobs/create')?.limit;
  };
  expect(await limitOfJobs()).toBe(300);
  const created = await client.call('POST /v3/jobs/create', {
    body: { name: 'Survey', deviceGroupId: fleetOf(client).deviceGroupId },
  });
  expect(created.headers.get('x-ratelimit-limit')).toBe('300');
  await runOperatorCommand('limits', clientId, '--default', '--now');
  expect(await limitOfJobs()).toBe(60);
});
