import type { FaultsFile } from 'cloud-assembly-runner';
import { clients } from '../api/client';
import { drill, writeDuring } from './drill';
import { oneByOne } from './one-by-one';

const [partner] = clients('channel-faults');
const [stranger] = clients('stranger');

const title = 'while %s, writes succeed, and each follower receives the last state or is closed';

test.each<[string, FaultsFile]>([
  ['AWS IoT accepts half of the messages', { iot: { failing: 0.5 } }],
  ['AWS IoT accepts no messages', { iot: { failing: 1 } }],
  ['AWS IoT times out', { iot: { slowMs: 2500 } }],
  ['@connections times out', { connections: { slowMs: 2500 } }],
])(title, async (_, faults) => {
  await drill(partner, stranger, faults);
});

// A socket that missed a message can't be closed either, until the heartbeat does it after a minute.
describe('@connections', () => {
  const cases: [string, FaultsFile][] = [
    ['@connections accepts half of the messages', { connections: { failing: 0.5 } }],
    ['@connections accepts no messages', { connections: { failing: 1 } }],
  ];
  const recovered = oneByOne(cases, (faults) => writeDuring(partner, stranger, faults));

  test.each(cases)(title, async (fault) => {
    await recovered(fault);
  });
});
