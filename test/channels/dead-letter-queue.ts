import { DeleteMessageCommand, ListQueuesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { ofThisStack, queues } from '../api/stack/aws-access';

/** Receives and deletes the messages of the fan-out's dead-letter queue: the positions of failed records. */
export async function takeFailures(): Promise<unknown[]> {
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
