import { randomUUID } from 'node:crypto';
import { listDevices, type SimulatedDevice } from './fleet';
import { beginRun, readOpenItems } from './open-items';
import { setting } from './settings';
import { publishTelemetry, tick } from './tick';

/**
 * A schedule invokes it every minute, with jitter: a run continues until the next one has begun, so that no second is
 * skipped or flown twice.
 */
const RUN_MS = 80_000;
const TICK_MS = 1000;
/** The inventory is read again every so many ticks. */
const INVENTORY_EVERY_TICKS = 5;

/** Parts of a second in which devices report: all at once would be a burst that no real fleet makes. */
const PHASES = 5;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const pauseUntil = (moment: number) => pause(Math.max(0, moment - Date.now()));

/** Runs the simulated fleet for a minute, tick by tick. All state is in its table, so the next run continues. */
export async function handler(): Promise<void> {
  const [seed, speed, idleEveryTicks] = [setting('SEED'), Number(setting('SPEED')), Number(setting('REST'))];
  const end = Date.now() + RUN_MS;
  const runId = randomUUID();
  await beginRun(runId);
  // By then the previous run has read the new run id and stopped.
  await pause(TICK_MS);
  let devices: SimulatedDevice[] = [];
  for (let count = 0; Date.now() < end; count += 1) {
    const startedAt = Date.now();
    try {
      const open = await readOpenItems();
      if (open.runId !== runId) return;
      if (count % INVENTORY_EVERY_TICKS === 0) devices = await listDevices();
      const fleet = { seed, speed, devices, idleReports: count % idleEveryTicks === 0 };
      const flights = await tick(open, fleet, new Date(startedAt));
      for (const [phase, some] of inPhases(devices).entries()) {
        await pauseUntil(startedAt + (phase * TICK_MS) / PHASES);
        await publishTelemetry(some, flights, fleet, new Date());
      }
    } catch (error) {
      // The next tick catches up.
      console.warn({ message: 'a tick of the simulated fleet failed', reason: String(error) });
    }
    await pauseUntil(startedAt + TICK_MS);
  }
}

const sortKeyOf = ({ deviceGroupId, deviceId }: SimulatedDevice) => `${deviceGroupId} ${deviceId}`;

/** Distributes devices evenly over the phases, those of a group next to each other. */
function inPhases(devices: readonly SimulatedDevice[]): SimulatedDevice[][] {
  const sorted = devices.toSorted((one, other) => (sortKeyOf(one) < sortKeyOf(other) ? -1 : 1));
  const phases = Array.from({ length: PHASES }, (): SimulatedDevice[] => []);
  sorted.forEach((device, index) => phases[Math.floor((index * PHASES) / sorted.length)]?.push(device));
  return phases;
}
