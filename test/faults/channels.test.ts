import { clients } from '../api/client';
import { drill } from './drill';

const [partner] = clients('channel-faults');
const [stranger] = clients('stranger');

test.each([
  ['AWS IoT accepts half of the messages', { iot: { failing: 0.5 } }],
  ['AWS IoT accepts no messages', { iot: { failing: 1 } }],
  ['AWS IoT times out', { iot: { slowMs: 2500 } }],
  ['@connections accepts half of the messages', { connections: { failing: 0.5 } }],
  ['@connections accepts no messages', { connections: { failing: 1 } }],
  ['@connections times out', { connections: { slowMs: 2500 } }],
])('while %s, writes succeed, and each follower receives the last state or is closed', async (_, faults) => {
  await drill(partner, stranger, faults);
});
