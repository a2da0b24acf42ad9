import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { SERVICE } from '../../../domain/values/service';
import { clientConfig } from '../../../data/store/client-config';

test('the default is three attempts with a timeout of two seconds', () => {
  expect(clientConfig()).toMatchObject({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
  });
  expect(clientConfig().requestHandler).not.toHaveProperty('httpsAgent');
});

test('an override changes no other setting', () => {
  const { requestHandler, ...config } = clientConfig({ maxAttempts: 1, requestTimeoutMs: 5000, maxSockets: 100 });
  const { requestHandler: usualHandler, ...usual } = clientConfig();
  expect(config).toEqual({ ...usual, maxAttempts: 1 });
  expect(requestHandler).toEqual({ ...usualHandler, requestTimeout: 5000, httpsAgent: { maxSockets: 100 } });
});

test('the user agent of a call is the service, without the version of the SDK, which a bundle does not have', async () => {
  const client = new SQSClient({
    ...clientConfig(),
    region: 'eu-central-1',
    credentials: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'example' },
  });
  const agents: unknown[] = [];
  client.middlewareStack.add(
    () => (args) => {
      agents.push((args.request as { headers: Record<string, string> }).headers['user-agent']);
      return Promise.reject(new Error('not sent'));
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  const QueueUrl = 'https://sqs.eu-central-1.amazonaws.com/123456789012/queue';
  await expect(client.send(new SendMessageCommand({ QueueUrl, MessageBody: '' }))).rejects.toThrow('not sent');
  expect(agents).toEqual([expect.stringMatching(`^m/\\S+ app/${SERVICE}$`)]);
});
