import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { markOffline } from '../../data/fleet/device-reports';
import { readDevice } from '../../data/fleet/fleet';
import { readOfflineCheck, scheduleOfflineCheck } from '../../data/fleet/offline-check';
import { isTrailing, readTrailing, type TrailingStates } from '../../data/fleet/trailing-states';
import type { Organisation } from '../../domain/id';
import { OFFLINE_AFTER_MS } from '../../domain/telemetry';
import { logger } from '../logger';
import { saveTrailingStates } from '../telemetry/save-trailing-states';

/** Delay of the next check of a device that reported while it was being marked offline, in ms. */
const RETRY_AFTER_MS = 5000;

async function checkOffline(message: unknown): Promise<void> {
  const check = readOfflineCheck(message);
  const device = await readDevice(check.organisation, check.deviceId);
  if (device?.status !== 'online' || device.reportedAt === undefined) return;
  const left = Date.parse(device.reportedAt) + OFFLINE_AFTER_MS - Date.now();
  if (left > 0) await scheduleOfflineCheck(check, left);
  else if (!(await markOffline(check.organisation, check.deviceId, device.reportedAt)))
    // A device has one check at a time: without another one it would stay online for good.
    await scheduleOfflineCheck(check, RETRY_AFTER_MS);
}

/** Saves the trailing states of a batch, one call per organisation, so that one organisation's failure affects no other. */
function trailingStates() {
  const batch = new Map<Organisation, { messages: TrailingStates[]; saved: Promise<void> }>();
  return (message: TrailingStates): Promise<void> => {
    const known = batch.get(message.organisation);
    known?.messages.push(message);
    if (known) return known.saved;
    const messages = [message];
    // Deferred until all records of the batch have been added.
    const saved = Promise.resolve().then(() => saveTrailingStates(message.organisation, messages));
    batch.set(message.organisation, { messages, saved });
    return saved;
  };
}

/**
 * Queue of delayed device checks: marks an online device offline after 30 seconds of silence, or schedules its next check;
 * saves samples that were too early as the last known state, unless a later one has been saved.
 */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const saveTrailing = trailingStates();
  const processRecord = ({ body }: SQSRecord): Promise<void> => {
    const message = JSON.parse(body) as unknown;
    return isTrailing(message) ? saveTrailing(readTrailing(message)) : checkOffline(message);
  };
  // A synchronous error must reject its own record only.
  const processed = Records.map((record) => new Promise<void>((resolve) => resolve(processRecord(record))));
  const outcomes = await Promise.allSettled(processed);
  const failed = Records.filter((_, index) => outcomes[index]?.status === 'rejected');
  if (failed.length > 0) {
    const error = outcomes.find((outcome) => outcome.status === 'rejected')?.reason as unknown;
    logger.error('device checks failed', { count: failed.length, error });
  }
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
