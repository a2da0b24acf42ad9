import { Logger } from '@aws-lambda-powertools/logger';
import { setTimeout as pause } from 'node:timers/promises';
import { inventory, type SimulatedDevice } from './inventory';
import { setting } from './setting';
import { tick } from './tick';

const logger = new Logger();

/** A schedule calls it every minute, and it goes on for a little longer, so that no second is left out. */
const RUN = 62_000;
const TICK = 1000;
/** Every so many seconds the inventory is looked at again. */
const LOOK = 5;

/** Runs the simulated fleet for a minute, second by second; all it knows is in its table, so runs may overlap. */
export async function handler(): Promise<void> {
  const [seed, speed, rest] = [setting('SEED'), Number(setting('SPEED')), Number(setting('REST'))];
  const end = Date.now() + RUN;
  let devices: SimulatedDevice[] = [];
  for (let count = 0; Date.now() < end; count += 1) {
    const now = new Date();
    try {
      if (count % LOOK === 0) devices = await inventory();
      await tick({ seed, speed, devices, restReports: count % rest === 0 }, now);
    } catch (error) {
      // The next second makes up for it.
      logger.warn('a second of the simulated fleet failed', { reason: String(error) });
    }
    await pause(Math.max(0, TICK - (Date.now() - now.getTime())));
  }
}
