import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** AWS, as far as a function asks for what is in an account where nothing is. */
export interface EmptyAccount {
  readonly url: string;
  /** Calls that it has no answer to: `<service>.<operation>`. */
  readonly unknown: readonly string[];
  close(): void;
}

/** Answers of DynamoDB when there is no item. */
const nothing: Readonly<Record<string, object>> = {
  GetItem: {},
  Query: { Items: [], Count: 0, ScannedCount: 0 },
  Scan: { Items: [], Count: 0, ScannedCount: 0 },
  PutItem: {},
  UpdateItem: {},
};

/** What SQS answers when it takes a message: the client looks whether it is the one that it sent. */
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
