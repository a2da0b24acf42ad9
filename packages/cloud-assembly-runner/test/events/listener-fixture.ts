import { EventBridgeClient, PutRuleCommand, PutTargetsCommand, type Target } from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { parsePolicy } from '../../iam/policy';
import { account, arnOf } from '../sqs/fixture';
import { givenEvents } from './event-bus-fixture';

export const listenerRule = 'arn:aws:events:eu-central-1:000000000000:rule/platform/platform-jobs';
export const onBus = { EventBusName: 'platform' };
export const pattern = JSON.stringify({ source: ['ours'] });

export type GivenListener = Awaited<ReturnType<typeof givenListener>>;

/** A queue policy that lets EventBridge send to the queue `Heard` on behalf of a rule; `more` replaces parts of it. */
export const queuePolicy = (more: object = {}) =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: arnOf('Heard'),
        Condition: { ArnEquals: { 'aws:SourceArn': listenerRule } },
        ...more,
      },
    ],
  });

/** EventBridge and SQS behind an AWS endpoint, with SDK clients of someone who listens to the bus `platform`. */
export async function givenListener() {
  const given = await givenEvents();
  given.endpoint.add(given.sqs);
  const clientsOf = (credentials: typeof given.endpoint.admin) => {
    const options = { endpoint: given.endpoint.url, region: account.region, credentials, maxAttempts: 1 };
    return { events: new EventBridgeClient(options), sqs: new SQSClient(options) };
  };
  const admin = clientsOf(given.endpoint.admin);
  return {
    ...given,
    admin,
    /** Clients of a caller with one policy. */
    callerWith: (...Statement: object[]) =>
      clientsOf(given.endpoint.register('listener', () => [parsePolicy({ Statement })])),
    /** Creates the queue `Heard`. @returns its URL */
    async heard(Policy = queuePolicy()) {
      const command = new CreateQueueCommand({ QueueName: 'Heard', Attributes: Policy === '' ? {} : { Policy } });
      return (await admin.sqs.send(command)).QueueUrl ?? '';
    },
    async listen(...targets: Target[]) {
      const Targets = targets.length > 0 ? targets : [{ Id: 'heard', Arn: arnOf('Heard') }];
      await admin.events.send(new PutRuleCommand({ ...onBus, Name: 'platform-jobs', EventPattern: pattern }));
      return admin.events.send(new PutTargetsCommand({ ...onBus, Rule: 'platform-jobs', Targets }));
    },
    async received(QueueUrl: string) {
      const command = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
      const { Messages = [] } = await admin.sqs.send(command);
      return Messages.map(({ Body = '' }) => JSON.parse(Body) as { detail: object });
    },
  };
}
