import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { channels } from '../../../contract/channels/status-channels';
import { topicName } from '../../../contract/terms/channel-addresses';
import { statusMessages } from '../../../contract/channels/status-messages';
import type { JobStatusMessage } from '../../../domain/channels/status-message';
import { subscribeToTopic } from '../../client/mqtt-subscription';
import { Inbox, type Message } from '../inbox';
import type { Step, SmokeContext } from '../smoke-context';
import { reasonOf, Unexpected } from '../errors';

/** Parses a message by the contract. @throws Unexpected when it has another shape */
function readStatus(message: Message, expected: string): JobStatusMessage {
  const parsed = z.safeParse(statusMessages['job.status'], message);
  if (!parsed.success) throw new Unexpected(expected, JSON.stringify(message));
  return parsed.data;
}

/** The first message is the state of the job, which has not left the queue yet. */
async function expectState(context: SmokeContext, inbox: Inbox): Promise<void> {
  const { jobId } = context.get('job');
  const expected = 'the state of the job as its first message';
  const first = await context.receive(inbox, expected, () => true);
  const { jobState, jobId: messageJobId } = readStatus(first, expected);
  if (messageJobId !== jobId || !['PENDING', 'QUEUED'].includes(jobState))
    throw new Unexpected(expected, JSON.stringify(first));
}

async function followOverMqtt(context: SmokeContext): Promise<undefined> {
  const { mqttUrl = '', ca, client } = context.target;
  const { jobId } = context.get('job');
  const token = context.get('token');
  const inbox = new Inbox();
  const topic = topicName({ kind: 'job', id: jobId });
  const clientIdSuffix = `smoke-${randomBytes(4).toString('hex')}`;
  const request = { mqttUrl, ca, clientId: client.clientId, token, clientIdSuffix, topic, onMessage: inbox.add };
  const disconnect = await subscribeToTopic(request).catch((error: unknown) => {
    throw new Unexpected(`a subscription to ${topic}`, reasonOf(error));
  });
  context.cleanUp.add('MQTT connection', disconnect);
  context.set('mqttInbox', inbox);
  await expectState(context, inbox);
}

async function followOverWss(context: SmokeContext): Promise<undefined> {
  const { jobId } = context.get('job');
  const connection = await context.openWebSocket(channels.job.path.replace('{id}', jobId), context.get('token'));
  context.set('jobChannel', connection);
  await expectState(context, connection.inbox);
}

async function expectChange(context: SmokeContext, inbox: Inbox): Promise<undefined> {
  const expected = 'a message that the job is CANCELLED';
  readStatus(await context.receive(inbox, expected, ({ jobState }) => jobState === 'CANCELLED'), expected);
}

/** Subscribes before the job is cancelled; `changeSteps` expect the message of it. */
export const channelSteps: readonly Step[] = [
  { name: 'follow the job over MQTTS', part: 'mqtt', run: followOverMqtt },
  { name: 'follow the job over WSS', part: 'wss', run: followOverWss },
];
export const changeSteps: readonly Step[] = [
  { name: 'its change over MQTTS', part: 'mqtt', run: (context) => expectChange(context, context.get('mqttInbox')) },
  {
    name: 'its change over WSS',
    part: 'wss',
    run: (context) => expectChange(context, context.get('jobChannel').inbox),
  },
];
