import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { channels, topicOf } from '../../../contract/channels';
import type { JobStatusMessage } from '../../../domain/status-message';
import { followTopic } from '../../client/topic';
import { Inbox, type Message } from '../inbox';
import type { Step } from '../step';
import type { Story } from '../story';
import { reasonOf, Unexpected } from '../unexpected';

/** A message as the contract has it. @throws Unexpected when it has another form */
function readStatus(message: Message, expected: string): JobStatusMessage {
  const parsed = z.safeParse(channels.job.message, message);
  if (!parsed.success) throw new Unexpected(expected, JSON.stringify(message));
  return parsed.data;
}

/** The first message is the state of the job, which nobody has moved out of the queue yet. */
async function expectState(story: Story, inbox: Inbox): Promise<void> {
  const { jobId } = story.take('job');
  const expected = `the state of the job as its first message`;
  const first = await story.hear(inbox, expected, () => true);
  const { jobState, jobId: named } = readStatus(first, expected);
  if (named !== jobId || !['PENDING', 'QUEUED'].includes(jobState))
    throw new Unexpected(expected, JSON.stringify(first));
}

async function followOverMqtt(story: Story): Promise<undefined> {
  const { mqttUrl = '', ca, client } = story.target;
  const { jobId } = story.take('job');
  const token = story.take('token');
  const inbox = new Inbox();
  const topic = topicOf({ kind: 'job', id: jobId });
  const suffix = `smoke-${randomBytes(4).toString('hex')}`;
  const request = { mqttUrl, ca, clientId: client.clientId, token, suffix, topic, hear: inbox.hear };
  const end = await followTopic(request).catch((error: unknown) => {
    throw new Unexpected(`a subscription to ${topic}`, reasonOf(error));
  });
  story.cleanUp.remember('MQTT connection', end);
  story.give('topic', inbox);
  await expectState(story, inbox);
}

async function followOverWss(story: Story): Promise<undefined> {
  const { jobId } = story.take('job');
  const listener = await story.listen(channels.job.path.replace('{id}', jobId), story.take('token'));
  story.give('channel', listener);
  await expectState(story, listener.inbox);
}

async function expectChange(story: Story, inbox: Inbox): Promise<undefined> {
  const expected = 'a message that the job is CANCELLED';
  readStatus(await story.hear(inbox, expected, ({ jobState }) => jobState === 'CANCELLED'), expected);
}

/** Followed from before the job is cancelled, and told of it. */
export const channelSteps: readonly Step[] = [
  { name: 'follow the job over MQTTS', part: 'mqtt', run: followOverMqtt },
  { name: 'follow the job over WSS', part: 'wss', run: followOverWss },
];
export const changeSteps: readonly Step[] = [
  { name: 'its change over MQTTS', part: 'mqtt', run: (story) => expectChange(story, story.take('topic')) },
  { name: 'its change over WSS', part: 'wss', run: (story) => expectChange(story, story.take('channel').inbox) },
];
