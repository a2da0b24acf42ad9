import type { FaultsFile } from 'cloud-assembly-runner';
import { clients } from '../api/client';
import { drill } from './drill';

const [partner] = clients('integration-faults');
const [stranger] = clients('stranger');

/** A fault of EventBridge, SQS and Scheduler alike. */
const all = (fault: NonNullable<FaultsFile['sqs']>): FaultsFile => ({ events: fault, sqs: fault, scheduler: fault });

test.each<[string, FaultsFile]>([
  ['EventBridge refuses half of the events', { events: { failingEntries: 0.5 } }],
  ['EventBridge, SQS and Scheduler fail at half of the calls', all({ failing: 0.5 })],
  ['they are down', all({ down: true })],
  ['they are slow', all({ slowMs: 500 })],
])('while %s, partners are served and receive all changes', async (_, faults) => {
  await drill(partner, stranger, faults);
});
