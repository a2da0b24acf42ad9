import { clients } from '../api/client';
import { drill } from './drill';

const [partner] = clients('channel-faults');
const [stranger] = clients('stranger');

test.each([
  ['AWS IoT takes half of the messages', { iot: { failing: 0.5 } }],
  ['AWS IoT takes no message', { iot: { failing: 1 } }],
  ['AWS IoT answers too late', { iot: { slowMs: 2500 } }],
  ['@connections takes half of the messages', { connections: { failing: 0.5 } }],
  ['@connections takes no message', { connections: { failing: 1 } }],
  ['@connections answers too late', { connections: { slowMs: 2500 } }],
])('While %s every write goes on, and each follower hears the last state or is closed.', async (_, faults) => {
  await drill(partner, stranger, faults);
});
