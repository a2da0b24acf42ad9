import { isDeepStrictEqual } from 'node:util';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { topicOf } from '../../contract/channels';
import { readOverdueRetention, type OverdueRetention } from '../../data/connections/retained-status';
import { publish, type Retention } from '../../data/connections/mqtt-topics';
import { weightOfState } from '../../domain/status-event';
import type { StatusMessage } from '../../domain/status-message';
import { currentState } from '../channel/current-state';
import { logger } from '../logger';

/** How often a state is published that changes meanwhile; each change is published by the fan-out too. */
const TRIES = 3;

const retentionOf = (message: StatusMessage): Retention =>
  weightOfState(message) === 'final' ? 'for-a-day' : 'until-replaced';

/** The state to retain, of a group that of the device if it is still there; undefined when there is none. */
async function stateOf({ deviceId, ...channel }: OverdueRetention, now: string): Promise<StatusMessage | undefined> {
  const state = await currentState(channel, now);
  const ofDevice = state?.find((message) => message.type === 'device.status' && message.deviceId === deviceId);
  return ofDevice ?? state?.[0];
}

/** Retains the state as it is now, or nothing for a resource that is gone; one that changes meanwhile is looked at again. */
async function retain(body: string): Promise<void> {
  const overdue = readOverdueRetention(body);
  const now = new Date().toISOString();
  let state = await stateOf(overdue, now);
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const retention = state ? retentionOf(state) : 'until-replaced';
    await publish(topicOf(overdue), state ? JSON.stringify(state) : '', retention);
    const published = state;
    state = await stateOf(overdue, now);
    if (isDeepStrictEqual(published, state)) return;
  }
}

/** Queue of channels whose state could not be retained at once → the retained message of each (DESIGN section 3). */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  const outcomes = await Promise.allSettled(Records.map(({ body }) => retain(body)));
  const failed = Records.filter((_, index) => outcomes[index]?.status === 'rejected');
  for (const outcome of outcomes)
    if (outcome.status === 'rejected')
      logger.warn('a state could not be retained', { error: outcome.reason as unknown });
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}
