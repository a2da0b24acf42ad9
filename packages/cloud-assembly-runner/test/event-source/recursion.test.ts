import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { createEventSources, type EventSources } from '../../event-source';
import { createLambda, type Lambda } from '../../lambda';
import { parsePolicy } from '../../iam/policy';
import { functionOf, region } from '../lambda/inline-functions';
import { arnOf, startSqs, makeQueue, showAgain, account, type SqsFixture } from '../sqs/fixture';
import { until } from '../until';

/** Sends its messages back to the queue in its environment, as `check-devices` does for an online device. */
const again = `const { SQSClient, SendMessageCommand } = require(${JSON.stringify(require.resolve('@aws-sdk/client-sqs'))});
  const sqs = new SQSClient({});
  exports.handler = async ({ Records }) => {
    for (const { body } of Records) {
      console.log('round ' + body);
      await sqs.send(new SendMessageCommand({ QueueUrl: process.env.QUEUE_URL, MessageBody: body + '.' }));
    }
  };`;

/** Body of the message whose invocation Lambda stops: the function was invoked 16 times before. */
const refused = '.'.repeat(17);
const everything = parsePolicy({ Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] });

describe('A function that sends to its own queue', () => {
  let given: SqsFixture;
  let lambda: Lambda;
  let sources: EventSources;
  let folder: string;

  beforeEach(async () => {
    given = await startSqs();
    folder = await mkdtemp(join(tmpdir(), 'recursion-test-'));
    lambda = createLambda({
      region,
      accountId: account.accountId,
      assemblyFolder: folder,
      logFile: join(folder, 'functions.log'),
      endpointUrl: given.endpoint.url,
      credentialsOf: () => given.endpoint.register('function', () => [everything]),
    });
    sources = createEventSources({
      ...account,
      engineUrl: 'http://127.0.0.1:9',
      dataFolder: folder,
      lambda,
      sqs: given.sqs,
      policiesOf: () => [everything],
      log: () => showAgain(given.sqs.queue(arnOf('work')), (body) => body === refused),
    });
  });

  afterEach(async () => {
    await sources.stop?.();
    await lambda.stop?.();
    await given.remove();
    await rm(folder, { recursive: true });
  });

  const urls: Record<string, string> = {};
  const makeQueues = () => {
    urls['failures'] = makeQueue(given.sqs, 'failures');
    urls['lost'] = makeQueue(given.sqs, 'lost');
    const RedrivePolicy = { deadLetterTargetArn: arnOf('lost'), maxReceiveCount: 2 };
    urls['work'] = makeQueue(given.sqs, 'work', { VisibilityTimeout: 60, RedrivePolicy });
    urls['between'] = makeQueue(given.sqs, 'between', { VisibilityTimeout: 60 });
  };
  const makeFunction = async (name: string, sendsTo: string, properties: object = {}) => {
    const Environment = { Variables: { QUEUE_URL: urls[sendsTo] } };
    await lambda.create(functionOf(folder, name, again, { Environment, ...properties }));
  };
  const connect = async (queue: string, FunctionName: string, properties: object = {}) => {
    await sources.create({
      type: 'AWS::Lambda::EventSourceMapping',
      logicalId: `${queue}To${FunctionName}`,
      properties: { EventSourceArn: arnOf(queue), FunctionName, ...properties },
      metadata: {},
    });
  };
  const begin = async (messages: readonly string[] = ['']) => {
    await lambda.start?.();
    await sources.start?.();
    for (const MessageBody of messages) {
      await given.client.send(new SendMessageCommand({ QueueUrl: urls['work'], MessageBody: `${MessageBody}.` }));
    }
  };
  const bodiesIn = (queue: string) => given.sqs.queue(arnOf(queue))?.messages.map(({ body }) => body) ?? [];

  test('is stopped after 16 rounds, and the message goes to the dead-letter queue', async () => {
    makeQueues();
    await makeFunction('watch', 'work');
    await connect('work', 'watch');
    await begin();
    await until(() => bodiesIn('lost').length > 0);
    expect(bodiesIn('lost')).toEqual([refused]);
    // The last round sends before it ends.
    await until(() => bodiesIn('work').length === 0);
  });

  test('continues with RecursiveLoop Allow', async () => {
    makeQueues();
    await makeFunction('watch', 'work', { RecursiveLoop: 'Allow' });
    await connect('work', 'watch');
    await begin();
    await until(() => bodiesIn('work').some((body) => body.length > 40));
    expect(bodiesIn('lost')).toEqual([]);
  });

  test('is stopped in a loop of two functions, each counted separately', async () => {
    makeQueues();
    await makeFunction('there', 'between', { RecursiveLoop: 'Allow' });
    await makeFunction('back', 'work', { DeadLetterConfig: { TargetArn: arnOf('failures') } });
    await connect('work', 'there');
    await connect('between', 'back');
    await begin();
    await until(() => bodiesIn('failures').length > 0);
    const [event = ''] = bodiesIn('failures');
    const { Records } = JSON.parse(event) as { Records: { body: string; attributes: Record<string, string> }[] };
    // 16 rounds through both functions, and one more through the first.
    expect(Records.map(({ body }) => body)).toEqual(['.'.repeat(2 * 16 + 2)]);
    expect(Records[0]?.attributes['AWSTraceHeader']).toMatch(
      /^Root=1-[0-9a-f]{8}-[0-9a-f]{24};.*Lineage=.+:17\|.+:16$/,
    );
  });

  test('counts each chain of requests separately', async () => {
    makeQueues();
    await makeFunction('once', 'between');
    await connect('work', 'once', { BatchSize: 1 });
    await begin(Array.from({ length: 20 }, () => ''));
    await until(() => bodiesIn('between').length === 20);
    expect(bodiesIn('lost')).toEqual([]);
  });

  test('continues the chain of an AWSTraceHeader set by the sender', async () => {
    makeQueues();
    const AWSTraceHeader = { DataType: 'String', StringValue: 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1' };
    await given.client.send(
      new SendMessageCommand({
        QueueUrl: urls['between'],
        MessageBody: 'a',
        MessageSystemAttributes: { AWSTraceHeader },
      }),
    );
    const { Messages } = await given.client.send(
      new ReceiveMessageCommand({ QueueUrl: urls['between'], MessageSystemAttributeNames: ['AWSTraceHeader'] }),
    );
    expect(Messages?.[0]?.Attributes).toEqual({ AWSTraceHeader: AWSTraceHeader.StringValue });
  });
});
