import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { defaultStack, fullStack } from '../artifacts';
import { differences, functionCases, type FunctionCase } from './function-cases';
import { installLambdaRuntime, type LambdaRuntime } from '../install';
import type { Lane } from '../lane';
import { functionsOf, type DeployedFunction } from './functions';
import { startInstance, type Instance } from './instance';

/** A stub of the AWS APIs that functions call, for an account without any data. */
interface EmptyAccount {
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

async function startEmptyAccount(): Promise<EmptyAccount> {
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

/** Functions tested concurrently. */
const CONCURRENCY = 3;

/** Lambda itself uses this client, on this Node.js, to load and call handlers and to report their errors. */
export const lambdaRuntime: Lane = {
  title: "every function, loaded and called by AWS's runtime interface client on the Node.js of the template",
  run: async () => {
    const runtime = await installLambdaRuntime();
    const all = await everyFunction();
    const ours = all.filter(({ runtime: name }) => name === 'nodejs24.x');
    for (const { logicalId, runtime: name } of all.filter((one) => !ours.includes(one)))
      console.log(`  skipped: ${logicalId}, which runs on ${name}: the client is for Node.js`);
    const account = await startEmptyAccount();
    try {
      const findings = await testAll(ours, runtime, account);
      const used = Object.keys(functionCases).filter((name) =>
        ours.some(({ logicalId }) => logicalId.startsWith(name)),
      );
      console.log(`  ${ours.length} functions on ${[...new Set(ours.map(({ runtime: name }) => name))].join(', ')}`);
      return [
        ...findings,
        ...Object.keys(functionCases)
          .filter((name) => !used.includes(name))
          .map((name) => `the template has no function ${name}`),
        ...account.unknown.map((call) => `a function called ${call}, which its event does not need`),
      ];
    } finally {
      account.close();
    }
  },
};

/** Some functions exist only without some choice. */
async function everyFunction(): Promise<DeployedFunction[]> {
  const all = [...functionsOf(await defaultStack()), ...functionsOf(await fullStack())];
  return [...new Map(all.map((one) => [one.logicalId, one])).values()];
}

async function testAll(
  all: readonly DeployedFunction[],
  runtime: LambdaRuntime,
  account: EmptyAccount,
): Promise<string[]> {
  const waiting = [...all];
  const findings: string[] = [];
  const work = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift())
      findings.push(...(await testFunction(one, runtime, account)));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return findings;
}

async function testFunction(one: DeployedFunction, runtime: LambdaRuntime, { url }: EmptyAccount): Promise<string[]> {
  const { logicalId } = one;
  const own = Object.entries(functionCases).find(([name]) => logicalId.startsWith(name))?.[1];
  if (!own) return [`${logicalId} has no row in test/outsiders/lambda-runtime/function-cases.ts`];
  const instance = await startInstance(runtime, one, url);
  try {
    const findings: string[] = [];
    for (const trial of own) findings.push(...(await findingsOf(trial, instance)));
    return [...findings, ...strayLines(one, instance)].map((text) => `${logicalId}: ${text}`);
  } catch (error) {
    return [`${logicalId}: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    instance.stop();
  }
}

async function findingsOf({ event, outcome }: FunctionCase, instance: Instance): Promise<string[]> {
  const found = differences(outcome, await instance.invoke(event), 'the outcome');
  return found.map((text) => `${text}, with ${JSON.stringify(event).slice(0, 300)}`);
}

/** Lines of a JSON log that are not JSON log records, which CloudWatch's filters would miss. */
function strayLines({ environment }: DeployedFunction, instance: Instance): string[] {
  if (environment['AWS_LAMBDA_LOG_FORMAT'] !== 'JSON') return [];
  const lines = instance
    .printed()
    .split('\n')
    .filter((line) => line !== '');
  return lines.flatMap((line) =>
    differences({ level: /^[A-Z]+$/, timestamp: /^\d{4}-/ }, line, `a line of its log, ${line},`),
  );
}
