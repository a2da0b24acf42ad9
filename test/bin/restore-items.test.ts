import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { readCommandLine, run } from '../../bin/restore-items/run';
import { restoreItems, type RestoredItem, type RestoreOptions } from '../../bin/restore-items/restore';
import { restorableTables, type StoredItem } from '../../domain/shares/restoration';
import { engineConfig } from '../data/engines/own-engine';

const at = '2026-11-27T12:00:00.000Z';
let folder: string;
let client: DynamoDBClient;
let documents: DynamoDBDocumentClient;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restore-items-'));
  client = new DynamoDBClient(engineConfig());
  documents = DynamoDBDocumentClient.from(client);
});
afterAll(async () => {
  client.destroy();
  await rm(folder, { recursive: true });
});

async function makeTable(TableName: string, items: readonly StoredItem[], rangeKey = 'jobId'): Promise<void> {
  const keys = ['organisation', rangeKey];
  await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: keys.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' })),
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  await Promise.all(items.map((Item) => documents.send(new PutCommand({ TableName, Item }))));
}

const key = (jobId: string) => ({ organisation: 'acme', jobId });
const nameOf = (number: number) => `job-${String(number).padStart(3, '0')}`;
const job = (number: number, more: StoredItem = {}): StoredItem => ({
  ...key(nameOf(number)),
  name: `Round ${number}`,
  status: 'PENDING',
  version: 1,
  ...more,
});
const itemOf = async (TableName: string, jobId: string) =>
  (await documents.send(new GetCommand({ TableName, Key: key(jobId) }))).Item;

/** Restores jobs. @returns what was told of the items, by their ids */
async function restore(to: string, named: readonly string[], more: Partial<RestoreOptions> = {}) {
  const told: Record<string, RestoredItem['restoration']> = {};
  const isNamed = (id: string) => named.includes(id);
  const lastVersion = () => Promise.resolve(7);
  const options = { kind: 'jobs' as const, from: 'copy', to, isNamed, write: true, at, lastVersion, ...more };
  const same = await restoreItems(client, options, ({ id, restoration }) => (told[id] = restoration));
  return { same, told };
}

const copies = Array.from({ length: 250 }, (_, number) => job(number));
const damaged = { name: 'damaged', version: 2 };
/** What happened to some of them since. */
const since: Readonly<Record<string, StoredItem | undefined>> = {
  'job-000': job(0, damaged),
  'job-001': job(1, { ...damaged, status: 'IN_PROGRESS', startedAt: at, version: 4 }),
  'job-002': job(2, { ...damaged, status: 'CANCELLED', cancelledAt: at }),
  'job-003': undefined,
  'job-004': undefined,
  'job-249': job(249, damaged),
};
const current = copies
  .map((item) => (Object.hasOwn(since, String(item['jobId'])) ? since[String(item['jobId'])] : item))
  .filter((item) => item !== undefined);

beforeAll(() => makeTable('copy', copies));

const told = {
  'job-000': { kind: 'changed', names: ['name'] },
  'job-001': { kind: 'changed', names: ['name'] },
  'job-002': { kind: 'kept', because: 'CANCELLED' },
  'job-003': { kind: 'kept', because: 'deleted' },
  'job-004': { kind: 'again' },
  'job-249': { kind: 'changed', names: ['name'] },
};
const marks = { restoredAt: at, updatedAt: at, changeId: `restore/${at}` };

test('only tells what it would do without `write`', async () => {
  await makeTable('told', current);
  const found = await restore('told', ['job-004'], { write: false });
  expect(found.told).toMatchObject(told);
  expect(Object.keys(found.told)).toHaveLength(6);
  expect(found.same).toBe(244);
  for (const id of Object.keys(since)) expect(await itemOf('told', id)).toEqual(since[id]);
});

test('puts back what was written, under the next version, and leaves the rest as it is', async () => {
  await makeTable('written', [...current, job(900)]);
  expect((await restore('written', ['job-004'])).told).toMatchObject(told);
  expect(await itemOf('written', 'job-000')).toEqual(job(0, { ...marks, version: 3 }));
  expect(await itemOf('written', 'job-001')).toEqual(
    job(1, { ...marks, status: 'IN_PROGRESS', startedAt: at, version: 5 }),
  );
  expect(await itemOf('written', 'job-002')).toEqual(since['job-002']);
  expect(await itemOf('written', 'job-003')).toBeUndefined();
  // The last that its followers heard of was version 7.
  expect(await itemOf('written', 'job-004')).toEqual(job(4, { ...marks, version: 8 }));
  expect(await itemOf('written', 'job-900')).toEqual(job(900));
  const again = await restore('written', ['job-004']);
  expect([again.same, Object.keys(again.told).sort()]).toEqual([248, ['job-002', 'job-003']]);
});

test('decides again for an item that changes meanwhile, whether it is changed or put back', async () => {
  await makeTable('busy', current);
  const partner = {
    // Cancelled and created between the look at them and the write.
    'job-000': () =>
      documents.send(new PutCommand({ TableName: 'busy', Item: job(0, { status: 'CANCELLED', version: 3 }) })),
    'job-249': () =>
      documents.send(
        new UpdateCommand({
          TableName: 'busy',
          Key: key('job-249'),
          UpdateExpression: 'SET #status = :queued ADD version :one',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':queued': 'QUEUED', ':one': 1 },
        }),
      ),
    'job-004': () =>
      documents.send(new PutCommand({ TableName: 'busy', Item: job(4, { status: 'FAILED', version: 9 }) })),
  };
  const acts = new Map(Object.entries(partner));
  const busy = {
    send: async (command: { input: { Key?: StoredItem; Item?: StoredItem } }) => {
      const { jobId } = command.input.Key ?? command.input.Item ?? {};
      const id = (jobId as { S?: string } | undefined)?.S ?? '';
      const act = acts.get(id);
      acts.delete(id);
      await act?.();
      return client.send(command as never);
    },
  } as unknown as DynamoDBClient;
  const decided: Record<string, unknown> = {};
  const options = { kind: 'jobs' as const, from: 'copy', to: 'busy', write: true, at };
  const named = { isNamed: (id: string) => id === 'job-004', lastVersion: () => Promise.resolve(0) };
  await restoreItems(busy, { ...options, ...named }, ({ id, restoration }) => (decided[id] = restoration.kind));
  expect(acts.size).toBe(0);
  expect(await itemOf('busy', 'job-000')).toEqual(job(0, { status: 'CANCELLED', version: 3 }));
  expect(await itemOf('busy', 'job-249')).toEqual(job(249, { ...marks, status: 'QUEUED', version: 4 }));
  // Its name says that it is to be put back, so it is, above the version that it got meanwhile.
  expect(await itemOf('busy', 'job-004')).toEqual(job(4, { ...marks, version: 10 }));
  expect(decided).toMatchObject({ 'job-249': 'changed', 'job-004': 'changed' });
});

describe('What is left of a share that was deleted', () => {
  const share = (shareCode: string, more: StoredItem = {}): StoredItem => ({
    organisation: 'acme',
    shareCode,
    expiresAt: '2026-11-28T12:00:00.000Z',
    maxViewers: 5,
    currentViewers: 0,
    version: 3,
    ...more,
  });
  const shareIn = async (TableName: string, shareCode: string) =>
    (await documents.send(new GetCommand({ TableName, Key: { organisation: 'acme', shareCode } }))).Item;
  const marked = share('share-1', { restoredAt: at, version: 8 });
  const asked = { kind: 'shares' as const, from: 'shares-copy' };

  beforeAll(() => makeTable('shares-copy', [share('share-1'), share('share-2')], 'shareCode'));

  test.each([
    ['that was revoked, but is not deleted yet', share('share-1', { revokedAt: at })],
    ['a tombstone', { organisation: 'acme', shareCode: 'share-1', kind: 'removed', version: 5, revokedAt: at }],
    ['a tombstone without a version', { organisation: 'acme', shareCode: 'share-1', revokedAt: at }],
  ])('%s, is put back for who names it', async (what, left) => {
    const TableName = `shares-${what.replaceAll(/\W/g, '-')}`;
    await makeTable(TableName, [left], 'shareCode');
    expect((await restore(TableName, ['share-1'], asked)).told).toMatchObject({ 'share-1': { kind: 'again' } });
    expect(await shareIn(TableName, 'share-1')).toEqual(marked);
  });

  test('fails alone when it can’t be put back: what was done beside it is told', async () => {
    await makeTable('shares-failing', [share('share-2', { maxViewers: 1 })], 'shareCode');
    const told: string[] = [];
    const lastVersion = () => Promise.reject(new Error('no answer'));
    const options = { ...asked, to: 'shares-failing', write: true, at, lastVersion };
    const isNamed = (id: string) => id === 'share-1';
    await expect(restoreItems(client, { ...options, isNamed }, ({ id }) => told.push(id))).rejects.toThrow('no answer');
    expect(told).toEqual(['share-2']);
    expect(await shareIn('shares-failing', 'share-2')).toMatchObject({ maxViewers: 5 });
  });
});

test('refuses a target with other keys, and the copy itself', async () => {
  await makeTable('devices', [], 'id');
  await expect(restore('devices', [])).rejects.toThrow('copy is not a copy of devices');
  await expect(restore('copy', [])).rejects.toThrow('copy is not a copy of copy');
});

describe('The command line', () => {
  test('names the table, the copy and the items to put back', async () => {
    const file = join(folder, 'items');
    await writeFile(file, 'job-1\n\njob-2\n');
    const words = ['jobs', '--from', 'copy', '--item', 'job-3', '--items', file, '--write', '--stack', 'Stage'];
    expect(readCommandLine(words)).toEqual({
      table: 'jobs',
      from: 'copy',
      named: new Set(['job-3', 'job-1', 'job-2']),
      write: true,
      stack: 'Stage',
      local: undefined,
    });
  });

  test.each([
    [[], `give one table: ${restorableTables.join(', ')}`],
    [['job', '--from', 'copy'], 'unknown table'],
    [['jobs', 'shares', '--from', 'copy'], 'give one table'],
    [['jobs'], '--from COPY is required'],
    [['events', '--from', 'copy'], "events can't be restored"],
    [['connections', '--from', 'copy'], 'it holds the sockets'],
    [['jobs', '--from', 'copy', '--items', '/nowhere'], '--items: ENOENT'],
    [['jobs', '--from', 'copy', '--wirte'], 'unknown option --wirte'],
  ])('is refused: %j', async (words, message) => {
    const printed: string[] = [];
    const terminal = { print: () => undefined, printError: (text: string) => printed.push(text) };
    expect(await run(words, terminal)).toBe(2);
    expect(printed.join('')).toMatch(new RegExp(`^restore-items: .*${message}.*\n$`));
  });

  test.each([['--help'], ['help'], ['jobs', '--help']])('%s prints the help', async (...words) => {
    let printed = '';
    const terminal = { print: (text: string) => (printed += text), printError: () => undefined };
    expect(await run(words, terminal)).toBe(0);
    expect(printed).toContain('--from COPY');
  });
});
