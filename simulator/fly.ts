import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { inventory, type SimulatedDevice } from './inventory';
import { beginRun, openMissions } from './missions';
import { inPhases, PHASES } from './phases';
import { setting } from './setting';
import { sayWhere, tick } from './tick';

/**
 * A schedule calls it every minute, now sooner and now later: it goes on until the next run has begun, so that no second
 * is left out and none is flown twice.
 */
const RUN_MS = 80_000;
const TICK_MS = 1000;
/** Every so many seconds the inventory is looked at again. */
const LOOK = 5;

const until = (moment: number) => pause(Math.max(0, moment - Date.now()));

/** Runs the simulated fleet for a minute, second by second; all it knows is in its table, so another goes on. */
export async function handler(): Promise<void> {
  const [seed, speed, rest] = [setting('SEED'), Number(setting('SPEED')), Number(setting('REST'))];
  const end = Date.now() + RUN_MS;
  const runId = randomUUID();
  await beginRun(runId);
  // By then the run before has seen it.
  await pause(TICK_MS);
  let devices: SimulatedDevice[] = [];
  for (let count = 0; Date.now() < end; count += 1) {
    const begin = Date.now();
    try {
      const open = await openMissions();
      if (open.runId !== runId) return;
      if (count % LOOK === 0) devices = await inventory();
      const world = { seed, speed, devices, restReports: count % rest === 0 };
      const flights = await tick(open.missions, world, new Date(begin));
      for (const [phase, some] of inPhases(devices).entries()) {
        await until(begin + (phase * TICK_MS) / PHASES);
        await sayWhere(some, flights, world, new Date());
      }
    } catch (error) {
      // The next second makes up for it.
      console.warn({ message: 'a second of the simulated fleet failed', reason: String(error) });
    }
    await until(begin + TICK_MS);
  }
}
