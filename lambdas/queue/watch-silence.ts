import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { endSilently } from '../../data/fleet/device-state';
import { readDevice } from '../../data/fleet/fleet';
import { readWatch, watchAgain } from '../../data/fleet/silence-watch';
import { isTrailing, readTrailing, type TrailingStates } from '../../data/fleet/trailing-states';
import type { Organisation } from '../../domain/id';
import { SILENCE } from '../../domain/telemetry';
import { logger } from '../logger';
import { keepTrailingStates } from '../delivery/telemetry/keep-trailing';

/** A device that spoke while it was being ended is looked at again so much later, in ms. */
const SOON_MS = 5000;

async function watch(message: unknown): Promise<void> {
  const watched = readWatch(message);
  const device = await readDevice(watched.organisation, watched.deviceId);
  if (device?.status !== 'online' || device.reportedAt === undefined) return;
  const left = Date.parse(device.reportedAt) + SILENCE - Date.now();
  if (left > 0) await watchAgain(watched, left);
  else if (!(await endSilently(watched.organisation, watched.deviceId, device.reportedAt)))
    // This look is its only one: were it not made again, the device would be online for good.
    await watchAgain(watched, SOON_MS);
}

/** Keeps the trailing states of a batch, those of an organisation together, so that one's trouble is not another's. */
function trailingStates() {
  const batch = new Map<Organisation, { messages: TrailingStates[]; kept: Promise<void> }>();
  return (message: TrailingStates): Promise<void> => {
    const known = batch.get(message.organisation);
    known?.messages.push(message);
    if (known) return known.kept;
    const messages = [message];
    // All of the batch are read before any is worked on.
    const kept = Promise.resolve().then(() => keepTrailingStates(message.organisation, messages));
    batch.set(message.organisation, { messages, kept });
    return kept;
  };
}

/**
 * Queue of what is to be done about devices after a while: those that are online → offline after 30 seconds of silence, or
 * looked at again when that may be; samples that came too early → the last known state, if nothing later is.
 */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const keep = trailingStates();
  const work = ({ body }: SQSRecord): Promise<void> => {
    const message = JSON.parse(body) as unknown;
    return isTrailing(message) ? keep(readTrailing(message)) : watch(message);
  };
  const works = Records.map((record) => new Promise<void>((resolve) => resolve(work(record))));
  const outcomes = await Promise.allSettled(works);
  const failed = Records.filter((_, index) => outcomes[index]?.status === 'rejected');
  if (failed.length > 0) {
    const error = outcomes.find((outcome) => outcome.status === 'rejected')?.reason as unknown;
    logger.error('devices could not be watched, or their states not be kept', { count: failed.length, error });
  }
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
