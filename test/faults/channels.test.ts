import { clients } from '../api/client';
import { drill, writeDuring } from './drill';

const [partner] = clients('channel-faults');
const [stranger] = clients('stranger');

test.each([
  ['AWS IoT accepts half of the messages', { iot: { failing: 0.5 } }],
  ['AWS IoT accepts no messages', { iot: { failing: 1 } }],
  ['AWS IoT times out', { iot: { slowMs: 2500 } }],
  ['@connections times out', { connections: { slowMs: 2500 } }],
])('while %s, writes succeed, and each follower receives the last state or is closed', async (_, faults) => {
  await drill(partner, stranger, faults);
});

describe('While @connections fails, sockets can’t be closed either, until the heartbeat does it a minute later', () => {
  const recoveries: (() => Promise<void>)[] = [];
  const cases: [string, number][] = [
    ['half of the messages', 0.5],
    ['no messages', 1],
  ];

  test.each(cases)('writes succeed while it accepts %s', async (_, failing) => {
    recoveries.push(await writeDuring(partner, stranger, { connections: { failing } }));
  });

  // Together, since they wait for the same heartbeats.
  test('each follower receives the last state or is closed', async () => {
    expect(recoveries).toHaveLength(cases.length);
    await Promise.all(recoveries.map((expectRecovered) => expectRecovered()));
  });
});
