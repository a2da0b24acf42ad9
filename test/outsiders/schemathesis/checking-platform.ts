import * as z from 'zod';
import { checkMission } from '../../../packages/simulator/check-mission';
import type { SimulatedDevice } from '../../../packages/simulator/inventory';
import { publishPlatformEvent } from '../../channels/platform-events';
import { makePlatformQueue } from '../../channels/platform-queue';

const TYPE = 'mission.check.requested';

const received = z.object({ 'detail-type': z.literal(TYPE), detail: z.unknown() });

/**
 * Starts a drone platform that answers checks of jobs as the simulated fleet does, and does nothing else: it flies no job.
 * @param devices all that it flies
 * @returns ends it. @throws Error when it could not answer
 */
export async function startCheckingPlatform(devices: readonly SimulatedDevice[]): Promise<() => Promise<void>> {
  const queue = await makePlatformQueue('checking-platform', [TYPE]);
  let isStopped = false;

  async function answer(event: unknown): Promise<void> {
    const { detail } = received.parse(event);
    await publishPlatformEvent('mission.check.reported', checkMission(detail, devices, 'schemathesis'), new Date());
  }
  async function listen(): Promise<void> {
    while (!isStopped) await Promise.all((await queue.take(1)).map(answer));
  }
  const listening = listen();
  // Whoever stops it gets to know.
  listening.catch(() => undefined);

  return async () => {
    isStopped = true;
    await listening;
  };
}
