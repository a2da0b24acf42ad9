import { endSilently } from '../../../data/fleet/device-state';
import { onlineDevices, type OnlineDevice } from '../../../data/fleet/online-devices';
import { SILENCE } from '../../../domain/telemetry';
import { allSettled } from '../all-settled';
import { logger } from '../../logger';

/** So long the watch over silence has to see to a device, in ms, before it counts as lost. */
const WATCH_TAKES_MS = 5000;

/**
 * Makes devices offline that have been silent for longer than the watch over them should have let pass: the message that
 * stood for it was lost, or never sent because a function ended before.
 * @throws the first error, once all devices have been tried
 */
export async function endSilentDevices(): Promise<void> {
  const isOverdue = ({ reportedAt }: OnlineDevice) => Date.parse(reportedAt) < Date.now() - SILENCE - WATCH_TAKES_MS;
  let count = 0;
  const end = async ({ organisation, deviceId, reportedAt }: OnlineDevice) => {
    if (await endSilently(organisation, deviceId, reportedAt)) count += 1;
  };
  const failures: unknown[] = [];
  for await (const devices of onlineDevices())
    await allSettled(devices.filter(isOverdue).map(end)).catch((error: unknown) => failures.push(error));
  if (count > 0) logger.warn('devices were silent and nobody watched them', { count });
  if (failures.length > 0) throw failures[0];
}
