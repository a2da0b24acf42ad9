import * as z from 'zod';
import { checkMission } from '../../../simulator/check-mission';
import type { SimulatedDevice } from '../../../simulator/inventory';
import { publishPlatformEvent } from '../../channels/platform-events';
import { makePlatformQueue } from '../../channels/platform-queue';

const received = z.object({ 'detail-type': z.string(), detail: z.unknown() });

/**
 * Starts a drone platform that answers checks of jobs as the simulated fleet does, and does nothing else: it flies no job.
 * @param devices all that it has
 * @returns ends it. @throws Error when it could not answer
 */
export async function startCheckingPlatform(devices: readonly SimulatedDevice[]): Promise<() => Promise<void>> {
  const queue = await makePlatformQueue('checking-platform');
  let isStopped = false;

  async function answer(event: unknown): Promise<void> {
    const { 'detail-type': type, detail } = received.parse(event);
    if (type !== 'mission.check.requested') return;
    await publishPlatformEvent('mission.check.reported', checkMission(detail, devices, 'schemathesis'), new Date());
  }
  async function listen(): Promise<void> {
    while (!isStopped) for (const event of await queue.take(1)) await answer(event);
  }
  const listening = listen();
  // Whoever stops it gets to know.
  listening.catch(() => undefined);

  return async () => {
    isStopped = true;
    await listening;
  };
}
