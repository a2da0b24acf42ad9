import { markOffline } from '../../data/fleet/save-device-state';
import { onlineDevices, type OnlineDevice } from '../../data/fleet/online-devices';
import { LONGEST_OFFLINE_AFTER_MS } from '../../domain/fleet/offline';
import { allSettled } from '../runtime/concurrency';
import { logger } from '../runtime/logger';

/**
 * Every minute: corrects state that a lost message or a crash has left wrong. The next run handles what this one missed.
 * @throws the first error, after everything has been tried
 */
export async function handler(): Promise<void> {
  try {
    await markDevicesOffline();
  } catch (error) {
    logger.warn('state could not be reconciled', { error });
    throw error;
  }
}

/** How late an offline check may be, in ms, before it counts as lost. */
const CHECK_TAKES_MS = 5000;

/**
 * Marks devices offline that have been silent for so long that their offline check must have been lost: its message was lost,
 * or never sent because a function ended before.
 * @throws the first error, after all devices have been tried
 */
async function markDevicesOffline(): Promise<void> {
  const isOverdue = ({ reportedAt }: OnlineDevice) =>
    Date.parse(reportedAt) < Date.now() - LONGEST_OFFLINE_AFTER_MS - CHECK_TAKES_MS;
  let count = 0;
  const markOne = async ({ organisation, deviceId, reportedAt }: OnlineDevice) => {
    if (await markOffline(organisation, deviceId, reportedAt)) count += 1;
  };
  const failures: unknown[] = [];
  for await (const devices of onlineDevices())
    await allSettled(devices.filter(isOverdue).map(markOne)).catch((error: unknown) => failures.push(error));
  if (count > 0) logger.warn('silent devices without a check marked offline', { count });
  if (failures.length > 0) throw failures[0];
}
