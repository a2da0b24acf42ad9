import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '../../data/documents';
import { isRepeat } from '../../data/refused-write';
import { dynamodb } from '../../data/table';

describe('A conditional write over a real connection', () => {
  let server: Server;
  /** What happens to each call, in order: its answer is lost, or its condition is found not to hold. */
  let fates: ('lost' | 'refused')[] = [];

  beforeAll(async () => {
    server = createServer((request: IncomingMessage, response) => {
      if (fates.shift() === 'lost') request.socket.destroy();
      else response.writeHead(400).end('{"__type":"ConditionalCheckFailedException"}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'any',
      AWS_SECRET_ACCESS_KEY: 'any',
    });
  });

  afterAll(() => {
    dynamodb.destroy();
    server.closeAllConnections();
    server.close();
  });

  const refusal = async () => {
    const deletion = dynamodb.send(new DeleteCommand({ TableName: 'jobs', Key: { id: 'a' } }));
    return deletion.then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  test.each([
    [false, 'at once', ['refused']],
    [true, 'after an answer that was lost', ['lost', 'refused']],
  ] as const)('that it is a repeat is %s when it is refused %s.', async (repeat, _, happens) => {
    fates = [...happens];
    const error = await refusal();
    expect(error).toBeInstanceOf(ConditionalCheckFailedException);
    expect(isRepeat(error)).toBe(repeat);
    expect(fates).toEqual([]);
  });
});

test.each([
  ['another fault, however often it was tried', Object.assign(new Error('throttled'), { $metadata: { attempts: 3 } })],
  [
    'a refusal that does not say how often it was tried',
    new ConditionalCheckFailedException({ message: 'no', $metadata: {} }),
  ],
])('%s is no repeat.', (_, error) => {
  expect(isRepeat(error)).toBe(false);
});
