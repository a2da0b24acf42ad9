import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { DeleteMessageCommand, ListQueuesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { topicName } from '../../contract/terms/channel-addresses';
import { newId } from '../../data/store/new-id';
import { organisationOf } from '../../domain/values/id';
import { clients } from '../api/client';
import { fleetOf, givenJob } from '../api/given';
import { database, tableNamed, ofThisStack, queues } from '../api/stack/aws-access';
import { subscribe } from './mqtt-client';
import { followFromSnapshot } from './socket';
import { until } from './until';

/** Receives and deletes the messages of the fan-out's dead-letter queue: the positions of failed records. */
async function takeFailures(): Promise<unknown[]> {
  const sqs = queues();
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand());
  const nameOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);
  const name = ofThisStack(QueueUrls.map(nameOf), 'RealtimeFanOutFailures');
  const QueueUrl = QueueUrls.find((url) => nameOf(url) === name);
  if (QueueUrl === undefined) throw new Error(`no dead-letter queue among ${QueueUrls.join(', ')}`);
  const taken: unknown[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    if (Messages.length === 0) return taken;
    for (const { Body = '', ReceiptHandle } of Messages) {
      taken.push(JSON.parse(Body));
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
}

const [partner] = clients('change-faults');
const organisation = organisationOf('group', fleetOf(partner).deviceGroupId);

/** Number of records that cannot be parsed. */
const UNREADABLE = 3;

/** Writes an invalid job item, as a defect might. */
async function givenUnreadableRecord(): Promise<void> {
  const Item = { organisation, jobId: newId('job', organisation ?? ''), status: 'FLYING', name: 7 };
  await database().send(new PutCommand({ TableName: await tableNamed('Jobs'), Item }));
}

test('a record that cannot be parsed delays no other change, and is sent to the dead-letter queue', async () => {
  await takeFailures();
  const jobs = await Promise.all(Array.from({ length: 10 }, () => givenJob(partner)));
  const followed = await Promise.all(
    jobs.map(async ({ jobId }) => {
      const channel = { kind: 'job', id: jobId } as const;
      return { jobId, socket: await followFromSnapshot(partner, channel), topic: topicName(channel) };
    }),
  );
  const listener = await subscribe(partner, ...followed.slice(0, 8).map(({ topic }) => topic));
  await listener.first(8);

  for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED']) {
    await givenUnreadableRecord();
    await Promise.all(
      jobs.map(({ jobId }) => partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status } })),
    );
  }

  // Retried changes may be received again, but none is missing and the order is kept.
  for (const { jobId, socket } of followed) {
    await socket.like({ jobState: 'COMPLETED' });
    expect(distinct(socket.messages.map(({ sequence }) => sequence))).toEqual([1, 2, 3, 4]);
    expect(new Set(socket.messages.map((message) => message['jobId']))).toEqual(new Set([jobId]));
  }
  for (const { jobId } of followed.slice(0, 8)) {
    await listener.like({ jobId, jobState: 'COMPLETED' });
    const own = listener.messages.filter((message) => message['jobId'] === jobId);
    expect(distinct(own.map(({ sequence }) => sequence))).toEqual([1, 2, 3, 4]);
  }

  const failures: unknown[] = [];
  const takeMore = async () => (failures.push(...(await takeFailures())) >= UNREADABLE ? true : undefined);
  await until('sending the records to the dead-letter queue', takeMore, () => failures);
  const eventSourceArn: unknown = expect.stringContaining(await tableNamed('Jobs'));
  const sequenceNumber: unknown = expect.stringMatching(/^\d+$/);
  expect(failures).toEqual(Array.from({ length: UNREADABLE }, () => ({ eventSourceArn, sequenceNumber })));
});

const distinct = (values: readonly unknown[]) => [...new Set(values)];
