import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A stub of the AWS APIs that functions call, for an account without any data. */
export interface EmptyAccount {
  readonly url: string;
  /** Calls without an answer: `<service>.<operation>`. */
  readonly unknown: readonly string[];
  close(): void;
}

/** DynamoDB's answers without items. */
const nothing: Readonly<Record<string, object>> = {
  GetItem: {},
  BatchGetItem: { Responses: {}, UnprocessedKeys: {} },
  Query: { Items: [], Count: 0, ScannedCount: 0 },
  Scan: { Items: [], Count: 0, ScannedCount: 0 },
  PutItem: {},
  UpdateItem: {},
};

/** SQS's answer to SendMessage: the client verifies the MD5 of the body. */
function taken(target: string, body: string): object | undefined {
  if (target !== 'AmazonSQS.SendMessage') return undefined;
  const { MessageBody } = JSON.parse(body) as { MessageBody: string };
  return { MessageId: randomUUID(), MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') };
}

export async function startEmptyAccount(): Promise<EmptyAccount> {
  const unknown: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const target = String(request.headers['x-amz-target'] ?? request.url);
      const [, operation = ''] = target.split('.');
      const answer = target.startsWith('DynamoDB_') ? nothing[operation] : taken(target, body);
      if (!answer) unknown.push(target);
      response.writeHead(answer ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(answer ?? { __type: 'AccessDeniedException', message: `${target} is not answered` }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    unknown,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
