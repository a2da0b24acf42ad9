import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** An endpoint of DynamoDB that gives prepared answers. */
export interface PreparedDynamoDb {
  readonly url: string;
  close(): void;
}

/**
 * Starts the endpoint on a free port. It takes next to no time itself, stores nothing, and counts nothing, so that any number
 * of calls get the same answer.
 * @param answers bodies by operation, such as `GetItem`
 */
export async function startPreparedDynamoDb(answers: Readonly<Record<string, object>>): Promise<PreparedDynamoDb> {
  const texts = new Map(Object.entries(answers).map(([operation, body]) => [operation, JSON.stringify(body)]));
  const server = createServer((request, response) => {
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const text = texts.get(operation) ?? '';
    request.resume();
    request.once('end', () => {
      response.writeHead(text ? 200 : 400, {
        'content-type': 'application/x-amz-json-1.0',
        'content-length': Buffer.byteLength(text),
      });
      response.end(text);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
