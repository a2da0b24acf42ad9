import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { endSilently } from '../../data/device-state';
import { readDevice } from '../../data/fleet';
import { readWatch, watchAgain } from '../../data/silence-watch';
import { SILENCE } from '../../domain/telemetry';
import { logger } from '../logger';

async function watch(body: string): Promise<void> {
  const watched = readWatch(body);
  const device = await readDevice(watched.organisation, watched.deviceId);
  if (device?.status !== 'online' || device.reportedAt === undefined) return;
  const left = Date.parse(device.reportedAt) + SILENCE - Date.now();
  if (left > 0) await watchAgain(watched, left);
  else await endSilently(watched.organisation, watched.deviceId, device.reportedAt);
}

/** Queue of devices that are online → offline after 30 seconds of silence, or looked at again when that may be. */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const outcomes = await Promise.allSettled(Records.map(({ body }) => watch(body)));
  const failed = Records.filter((_, index) => outcomes[index]?.status === 'rejected');
  if (failed.length > 0) logger.error('devices could not be watched', { count: failed.length });
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
