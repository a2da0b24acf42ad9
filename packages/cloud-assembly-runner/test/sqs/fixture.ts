import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  type Message,
  type ReceiveMessageCommandInput,
  type SendMessageCommandOutput,
} from '@aws-sdk/client-sqs';
import { createAwsEndpoint, type AwsEndpoint } from '../../aws-endpoint';
import { createSqs, type Queue, type Sqs } from '../../sqs';

export const account = { region: 'eu-central-1', accountId: '000000000000' };
export const arnOf = (name: string) => `arn:aws:sqs:eu-central-1:000000000000:${name}`;

/** SQS behind an AWS endpoint, with a client that has all permissions. */
export interface SqsFixture {
  readonly sqs: Sqs;
  readonly client: SQSClient;
  readonly endpoint: AwsEndpoint;
  readonly folder: string;
  /** Creates a queue. @returns its URL */
  queue(name: string, properties?: Record<string, unknown>): string;
  /** Creates another SQS on the same data folder, as after a restart. */
  reopen(): Sqs;
  remove(): Promise<void>;
}

export async function startSqs(): Promise<SqsFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'sqs-test-'));
  const endpoint = createAwsEndpoint();
  await endpoint.start();
  const reopen = () => createSqs({ ...account, endpointUrl: endpoint.url, dataFolder: folder });
  const sqs = reopen();
  endpoint.add(sqs);
  const client = new SQSClient({
    endpoint: endpoint.url,
    region: account.region,
    credentials: endpoint.admin,
    maxAttempts: 1,
  });
  return {
    sqs,
    client,
    endpoint,
    folder,
    reopen: reopen,
    queue: (name, properties = {}) => makeQueue(sqs, name, properties),
    async remove() {
      client.destroy();
      await sqs.stop?.();
      await endpoint.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Creates a queue as a template would. @returns its URL */
export function makeQueue(sqs: Sqs, name: string, properties: Record<string, unknown> = {}): string {
  const resource = { type: 'AWS::SQS::Queue', logicalId: name, properties, metadata: {} };
  const created = sqs.create(resource);
  if (created instanceof Promise) throw new Error('Queues are created synchronously');
  return created.ref;
}

/**
 * Makes received messages visible at once, as the end of their visibility timeout would. The timeout itself has to be longer
 * than a delivery takes on a busy machine, since the queue delivers the message a second time otherwise.
 */
export function showAgain(queue: Queue | undefined, isMeant: (body: string) => boolean): void {
  for (const { body, receiptHandle } of queue?.messages ?? [])
    if (receiptHandle !== undefined && isMeant(body)) queue?.changeVisibility(receiptHandle, 0);
}

/** An SQS for each test with the queue `Things`, and calls of the queue at `url`. */
export interface QueueFixture extends Omit<SqsFixture, 'remove'> {
  /** URL of the queue that the calls use; the queue `Things` at the start of each test. */
  url: string;
  send(body: string, more?: object): Promise<SendMessageCommandOutput>;
  /** Receives up to ten messages. */
  receive(more?: Partial<ReceiveMessageCommandInput>): Promise<Message[]>;
  bodies(more?: Partial<ReceiveMessageCommandInput>): Promise<(string | undefined)[]>;
  attributes(): Promise<Record<string, string> | undefined>;
}

/** Registers the hooks of a {@link QueueFixture}. */
export function queueFixture(): QueueFixture {
  let current: SqsFixture;
  const fixture: QueueFixture = {
    url: '',
    get sqs() {
      return current.sqs;
    },
    get client() {
      return current.client;
    },
    get endpoint() {
      return current.endpoint;
    },
    get folder() {
      return current.folder;
    },
    queue: (name, properties) => current.queue(name, properties),
    reopen: () => current.reopen(),
    send: (MessageBody, more = {}) =>
      current.client.send(new SendMessageCommand({ QueueUrl: fixture.url, MessageBody, ...more })),
    async receive(more = {}) {
      const command = new ReceiveMessageCommand({ QueueUrl: fixture.url, MaxNumberOfMessages: 10, ...more });
      return (await current.client.send(command)).Messages ?? [];
    },
    bodies: async (more) => (await fixture.receive(more)).map(({ Body }) => Body),
    async attributes() {
      const command = new GetQueueAttributesCommand({ QueueUrl: fixture.url, AttributeNames: ['All'] });
      return (await current.client.send(command)).Attributes;
    },
  };
  beforeEach(async () => {
    current = await startSqs();
    fixture.url = fixture.queue('Things');
  });
  afterEach(() => current.remove());
  return fixture;
}
