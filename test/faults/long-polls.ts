import { setTimeout as pause } from 'node:timers/promises';
import { waitingCallsOf } from '../api/events/waiting-seats';
import { until } from '../channels/until';
import { injectFaults } from './inject-faults';
import type { Trial } from './trial';

/** Lets calls wait for events that can't give their seats back. */
export const waitDuring: Trial = async (partner, faults) => {
  const waitFor = (wait: string) => partner.call('GET /v3/events', { query: { wait } });
  const fiveWaitFor = (wait: string) => Promise.all(Array.from({ length: 5 }, () => waitFor(wait)));
  const waiting = fiveWaitFor('20');
  await until('the fifth', async () => ((await waitingCallsOf(partner)) === 5 ? true : undefined));
  injectFaults(faults);
  expect((await waiting).map(({ status }) => status)).toEqual(Array(5).fill(500));
  injectFaults({});
  expect(await waitingCallsOf(partner)).toBe(5);
  return async () => {
    const again = await until('five free seats', async () => {
      const statuses = (await fiveWaitFor('1')).map(({ status }) => status);
      if (!statuses.includes(429)) return statuses;
      // 120 calls a minute are admitted.
      await pause(2000);
      return undefined;
    });
    expect(again).toEqual(Array(5).fill(200));
  };
};
