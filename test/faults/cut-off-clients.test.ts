import type { FaultsFile } from 'cloud-assembly-runner';
import { clients } from '../api/client';
import { cutOffDrill } from '../channels/cut-off-drill';
import { injectFaults } from './inject-faults';

/** For 2,000 connections one after the other: each wait of the drill has a limit of its own. */
const SLOW_MACHINE_MS = 900_000;

const wholeFigure = { clients: 50, cuts: 20, changes: 500 };
const fewer = { clients: 20, cuts: 6, changes: 200 };

test.each<[string, FaultsFile, typeof wholeFigure]>([
  ['nothing fails', {}, wholeFigure],
  ['stream batches arrive twice', { streams: { repeated: true } }, fewer],
  // A replay then takes so long that many changes come meanwhile.
  ['sockets are slow', { connections: { slowMs: 50 } }, fewer],
])(
  'while %s, clients that are cut off have every change exactly once and in order',
  async (_, faults, numbers) => {
    injectFaults(faults);
    await cutOffDrill(clients('cut-off'), { ...numbers, seed: 2 });
  },
  SLOW_MACHINE_MS,
);
