import { isDeepStrictEqual } from 'node:util';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { channelOf, topicOf, type Channel } from '../../contract/status-channels';
import { readFollowed } from '../../data/connections/followed-until';
import { readRetentionRequest, type RetentionRequest } from '../../data/connections/retained-status';
import { publish, type Retention } from '../../data/connections/mqtt-topics';
import { mayBeSubscribed } from '../../domain/followed-until';
import type { StatusMessage } from '../../domain/status-message';
import { currentState } from '../delivery/channel-state';
import { eachMessage } from '../each-message';
import { logger } from '../logger';
import { named, namedIn } from '../subject';

/** Attempts when the state changes during each of them; the fan-out publishes every change too. */
const MAX_ATTEMPTS = 3;

/** How the topic of a state retains it; undefined when nobody can be subscribed any more, so that later states are not published. */
async function retentionOf({ kind, id }: Channel): Promise<Retention | undefined> {
  if (kind === 'group') return 'until-replaced';
  const { topicUntil } = await readFollowed({ kind, id });
  return mayBeSubscribed(topicUntil, new Date()) ? { until: topicUntil } : undefined;
}

/** The state to retain; for a group that of the device, if it still belongs to the group. Undefined when there is none. */
async function stateOf(
  channel: Channel,
  { deviceId }: RetentionRequest,
  now: string,
): Promise<StatusMessage | undefined> {
  const state = await currentState(channel, now);
  const ofDevice = state?.find((message) => message.type === 'device.status' && message.deviceId === deviceId);
  return ofDevice ?? state?.[0];
}

/** Retains the current state, or clears the topic of a deleted resource; repeats if the state changed meanwhile. */
async function retain(overdue: RetentionRequest): Promise<void> {
  const channel = channelOf(overdue);
  if (!channel) throw new Error(`a ${overdue.kind} has no channel`);
  const now = new Date().toISOString();
  let state = await stateOf(channel, overdue, now);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    // Nothing is left to expire in a topic that is cleared.
    const retention = state ? await retentionOf(channel) : 'until-replaced';
    if (retention === undefined) return;
    await publish(topicOf(channel), state ? JSON.stringify({ ...state, cursor: overdue.cursor }) : '', retention);
    const published = state;
    state = await stateOf(channel, overdue, now);
    if (isDeepStrictEqual(published, state)) return;
  }
}

/** Queue of channels whose state could not be retained at once → their retained messages (DESIGN section 3). */
export const handler = ({ Records }: SQSEvent): Promise<SQSBatchResponse> =>
  eachMessage(
    Records,
    (body) => {
      const overdue = readRetentionRequest(body);
      return { subject: { ...named(overdue.id), ...namedIn(overdue) }, run: () => retain(overdue) };
    },
    (error) => logger.warn('state could not be retained', { error }),
  );
