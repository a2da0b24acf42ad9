import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { newShareCode } from '../../data/store/new-id';
import { organisationOf } from '../../domain/values/id';
import { median, percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack, type LocalStack } from './support/local-stack';
import { onboardClients } from './support/many-clients';
import { childrenOf } from './support/process-usage';

const SHARES = 1000;
/** Largest number of writes in one call. */
const BATCH = 25;
/** From the first share to the first end, in ms: time to store all of them. */
const LEAD_MS = 30_000;
const POLL_EVERY_MS = 100;
const MAX_INSTANCES = 20;

/** The shares of one organisation, as stored. */
interface StoredShares {
  /** Stores shares that end at these times, Unix ms; resolves to the times by share code. */
  store(ends: readonly number[]): Promise<Map<string, number>>;
  /** Codes of the shares that have not been deleted. */
  codes(): Promise<ReadonlySet<string>>;
}

async function storedShares({ access, dataFolder, facts }: LocalStack): Promise<StoredShares> {
  const { endpointUrl: endpoint, region, stackName: _, ...credentials } = access;
  const database = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
  const { TableNames = [] } = await database.send(new ListTablesCommand());
  const TableName = TableNames.find((name) => name.includes('TablesShares')) ?? '';
  const [client] = await onboardClients(dataFolder, facts.baseUrl, 1);
  const { deviceId = '' } = client ?? {};
  const organisation = organisationOf('device', deviceId) ?? '';
  const itemOf = (end: number) => {
    const createdAt = new Date().toISOString();
    const subject = { resourceId: deviceId, deviceId, shareType: 'DEVICE_STATUS', permissions: ['view'] };
    const counts = { maxViewers: 10, currentViewers: 0, version: 1 };
    const times = { createdAt, expiresAt: new Date(end).toISOString() };
    return { organisation, shareCode: newShareCode(organisation, createdAt), ...subject, ...counts, ...times };
  };
  return {
    async store(ends) {
      const items = ends.map(itemOf);
      for (let first = 0; first < items.length; first += BATCH) {
        const puts = items.slice(first, first + BATCH).map((Item) => ({ PutRequest: { Item } }));
        await database.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
      }
      return new Map(items.map(({ shareCode, expiresAt }) => [shareCode, Date.parse(expiresAt)]));
    },
    async codes() {
      const { Items = [] } = await database.send(
        new QueryCommand({
          TableName,
          ConsistentRead: true,
          KeyConditionExpression: 'organisation = :organisation',
          ProjectionExpression: 'shareCode',
          ExpressionAttributeValues: { ':organisation': organisation },
        }),
      );
      return new Set(Items.map(({ shareCode }) => String(shareCode)));
    },
  };
}

/** Threads of the Node.js processes below a process: each instance of a function is one. Linux only. */
const threadsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).filter((task) => isNode(`/proc/${pid}/task/${task}`)).length +
  childrenOf(pid).reduce((sum, child) => sum + threadsOf(child), 0);

function isNode(task: string): boolean {
  try {
    return readFileSync(`${task}/comm`, 'utf8').trim() === 'node';
  } catch {
    // It has ended meanwhile.
    return false;
  }
}

/**
 * Lets shares end within `withinMs`, and measures how late each is deleted, and how many instances there are for all of that
 * beside those of `idle` threads.
 */
async function endShares(
  { pid }: LocalStack,
  shares: StoredShares,
  { withinMs, idle, maxMedianMs }: { withinMs: number; idle: number; maxMedianMs: number },
): Promise<readonly Measured[]> {
  const first = Date.now() + LEAD_MS;
  const times = await shares.store(Array.from({ length: SHARES }, (_, index) => first + (index * withinMs) / SHARES));
  const late: number[] = [];
  let threads = idle;
  while (times.size > 0) {
    await pause(POLL_EVERY_MS);
    threads = Math.max(threads, threadsOf(pid));
    const left = await shares.codes();
    for (const [code, end] of times) {
      if (left.has(code)) continue;
      late.push(Date.now() - end);
      times.delete(code);
    }
  }
  const figure = `${SHARES} shares that end within ${withinMs / 1000} s`;
  const instances = threads - idle;
  const early = Math.min(...late) < 0;
  return [
    {
      figure: `${figure}: instances of all functions`,
      measured: String(instances),
      mustBe: `under ${MAX_INSTANCES}`,
      ok: instances < MAX_INSTANCES,
    },
    {
      figure: `${figure}: late by, read every ${POLL_EVERY_MS} ms`,
      measured: `median ${median(late)} ms, p95 ${percentile(late, 95)} ms, last ${Math.max(...late)} ms${early ? ', some early' : ''}`,
      mustBe: `median under ${maxMedianMs} ms, none early`,
      ok: median(late) < maxMedianMs && !early,
    },
  ];
}

/**
 * How many instances end a thousand shares, and how late. One machine has at most four of a function, an account as many as the
 * mapping allows; with ends of a minute they are enough, those of one second wait for the processors.
 */
export const shareEnds: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'share-ends-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--instances', '60']);
  try {
    const shares = await storedShares(stack);
    const idle = threadsOf(stack.pid);
    return [
      ...(await endShares(stack, shares, { withinMs: 60_000, idle, maxMedianMs: 1000 })),
      ...(await endShares(stack, shares, { withinMs: 1000, idle, maxMedianMs: 15_000 })),
    ];
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};
