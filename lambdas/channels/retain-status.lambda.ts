import { isDeepStrictEqual } from 'node:util';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { toChannel, type Channel } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { publishAgain } from '../../data/channels/followed-channels';
import { readRetentionRequest, type RetentionRequest } from '../../data/channels/retention-requests';
import { publishOnTopic } from '../../data/channels/iot-data-plane';
import type { StatusMessage } from '../../domain/channels/status-message';
import { currentState } from './channel-state';
import { eachMessage } from '../runtime/each-message';
import { logger } from '../runtime/logger';
import { named, namedIn } from '../runtime/subject';

/** Attempts when the state changes during each of them; the fan-out publishes every change too. */
const MAX_ATTEMPTS = 3;
/** How often the stream may try before somebody has to look: after some minutes, since each waits twice as long. */
const MAX_OF_STREAM = 6;

/** The state of the device to retain, if it still belongs to the group, else of another one. Undefined when there is none. */
async function stateOf(
  channel: Channel,
  { deviceId }: RetentionRequest,
  now: string,
): Promise<StatusMessage | undefined> {
  const state = await currentState(channel, now);
  const ofDevice = state?.find((message) => message.type === 'device.status' && message.deviceId === deviceId);
  return ofDevice ?? state?.[0];
}

/**
 * Retains the current state of a group's device, or clears the topic of a deleted group; repeats if the state changed
 * meanwhile.
 */
async function retainOfGroup(channel: Channel, overdue: RetentionRequest): Promise<void> {
  const now = new Date().toISOString();
  let state = await stateOf(channel, overdue, now);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const text = state ? JSON.stringify({ ...state, cursor: overdue.cursor }) : '';
    await publishOnTopic(topicName(channel), text, 'until-replaced');
    const published = state;
    state = await stateOf(channel, overdue, now);
    if (isDeepStrictEqual(published, state)) return;
  }
}

/**
 * Has the stream publish the state of a job or a share again, or clears the topic of one that is deleted. It is not
 * published here: the end could come first.
 */
async function retain(overdue: RetentionRequest): Promise<void> {
  const channel = toChannel(overdue);
  if (!channel) throw new Error(`a ${overdue.kind} has no channel`);
  const { kind, id } = channel;
  if (kind === 'group') return retainOfGroup(channel, overdue);
  if (overdue.attempt > MAX_OF_STREAM) throw new Error('AWS IoT retains no state of this channel');
  if (!(await publishAgain({ kind, id }, overdue.attempt + 1)))
    await publishOnTopic(topicName(channel), '', 'until-replaced');
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
