import { setTimeout as pause } from 'node:timers/promises';
import { clients } from '../api/client';
import { waitingCallsOf } from '../api/events/waiting-seats';
import { until } from '../channels/until';
import { injectFaults } from './inject-faults';

const [partner] = clients('long-poll-faults');

const waitFor = (wait: string) => partner.call('GET /v3/events', { query: { wait } });
const fiveWaitFor = (wait: string) => Promise.all(Array.from({ length: 5 }, () => waitFor(wait)));

test('seats of waiting calls that could not be given back are free when their wait is over', async () => {
  const waiting = fiveWaitFor('20');
  await until('the fifth', async () => ((await waitingCallsOf(partner)) === 5 ? true : undefined));
  injectFaults({ dynamodb: { down: true } });
  expect((await waiting).map(({ status }) => status)).toEqual(Array(5).fill(500));
  injectFaults({});
  expect(await waitingCallsOf(partner)).toBe(5);
  await until('a free seat', async () => {
    if ((await waitFor('1')).status === 200) return true;
    // 120 calls a minute.
    await pause(600);
    return undefined;
  });
  expect((await fiveWaitFor('1')).map(({ status }) => status)).toEqual(Array(5).fill(200));
});
