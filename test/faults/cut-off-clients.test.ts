import type { FaultsFile } from 'cloud-assembly-runner';
import { clients } from '../api/client';
import { cutOffDrill } from '../channels/cut-off-drill';
import { injectFaults } from './inject-faults';

test.each<[string, FaultsFile]>([
  ['once', {}],
  ['twice', { streams: { repeated: true } }],
])(
  '50 clients that are cut off 20 times each have each of 500 changes exactly once and in order, when stream batches arrive %s',
  async (_, faults) => {
    injectFaults(faults);
    await cutOffDrill(clients('cut-off'), { clients: 50, cuts: 20, changes: 500, seed: 2 });
  },
);
