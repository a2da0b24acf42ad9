import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  InternalServerError,
  ProvisionedThroughputExceededException,
  ResourceNotFoundException,
  ThrottlingException,
} from '@aws-sdk/client-dynamodb';
import { QueryCommand, ScanCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { operations } from './fixtures/operations';
import { sent, store } from './fixtures/store';

const response = { message: 'an error of DynamoDB', $metadata: {} };
const faults = [
  new ProvisionedThroughputExceededException(response),
  new ThrottlingException(response),
  new InternalServerError(response),
  new ResourceNotFoundException(response),
  Object.assign(new Error('a request has exceeded the configured 2000 ms requestTimeout'), { name: 'TimeoutError' }),
  Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
];
const cases = operations.flatMap(([name, run]) => faults.map((fault) => [name, fault.name, run, fault] as const));

test.each(cases)('%s passes on the error %s instead of an empty result', async (_, __, run, fault) => {
  store.rejects(fault);
  await expect(run()).rejects.toBe(fault);
});

/**
 * Operations that send several commands: the partitions of the groups and of the devices are queried at the same time;
 * a seat whose write failed is given back, since it may have been done.
 */
const several: Readonly<Record<string, number>> = { listDeviceGroups: 9, listDevicesOf: 9, withFileSeat: 2 };

describe.each(operations)('%s', (name, run) => {
  beforeEach(async () => {
    store.rejects(faults[0]);
    await run().catch(() => undefined);
  });

  test('sends its commands once and leaves retries to the SDK', () => {
    expect(sent()).toHaveLength(several[name] ?? 1);
  });

  test('keeps input out of its expressions', () => {
    for (const write of writes())
      for (const text of expressionsOf(write))
        for (const input of textsIn(parameters(write))) expect(text.replaceAll(/[#:]\w+/g, '')).not.toContain(input);
  });

  test('defines exactly the placeholders that it uses, as DynamoDB requires', () => {
    for (const write of writes()) {
      const used = expressionsOf(write).flatMap((text) => text.match(/[#:]\w+/g) ?? []);
      const named = ['ExpressionAttributeNames', 'ExpressionAttributeValues'].flatMap((of) =>
        Object.keys(write[of] ?? {}),
      );
      expect([...new Set(used)].sort()).toEqual(named.sort());
    }
  });
});

describe('what an answer of DynamoDB leaves out', () => {
  /** Answers each read with its first part, then with its end. @returns the reads, as they were when they were sent */
  function cutReads() {
    const reads: QueryCommandInput[] = [];
    const cut = (input: QueryCommandInput) => {
      reads.push({ ...input });
      return input.ExclusiveStartKey ? { Items: [] } : { Items: [], LastEvaluatedKey: { id: 'the last of the page' } };
    };
    store.resolves({});
    store.on(QueryCommand).callsFake(cut);
    store.on(ScanCommand).callsFake(cut);
    return reads;
  }

  test.each(operations)('%s reads to the end what it reads without a limit', async (_, run) => {
    const reads = cutReads();
    await run().catch(() => undefined);
    const unlimited = reads.filter(({ Limit }) => Limit === undefined);
    const [begun, ended] = [false, true].map((isLater) =>
      unlimited.filter(({ ExclusiveStartKey }) => (ExclusiveStartKey !== undefined) === isLater),
    );
    expect(ended).toHaveLength(begun?.length ?? 0);
  });

  const folder = join(__dirname, '../../data');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const queries = files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('new QueryCommand(')
      .slice(1)
      .map((rest) => [file, rest.slice(0, rest.indexOf('\n    );'))] as const),
  );

  test.each(queries)('%s: a single query has a limit, else it is for `queryToEnd`', (_, query) => {
    expect(query).toContain('Limit: ');
  });

  /** Files whose loss is made good elsewhere. */
  const madeGood = [
    // The condition of the write notices a claim.
    'jobs/device-claims.ts',
    // The next run of the minute reads it.
    'fleet/online-devices.ts',
  ];
  const batches = files.filter((file) => readFileSync(join(folder, file), 'utf8').includes('new BatchGetCommand('));

  test.each(batches)('%s: what a batch left out is not taken for absent', (file) => {
    expect(readFileSync(join(folder, file), 'utf8').includes('UnprocessedKeys')).toBe(!madeGood.includes(file));
  });
});

type Input = Record<string, unknown>;

/** The writes or reads of the commands that were sent; a transaction has several. */
const writes = (): Input[] =>
  sent().flatMap(
    (input) =>
      (input['TransactItems'] as Record<string, Input>[] | undefined)?.flatMap((each) => Object.values(each)) ?? [
        input,
      ],
  );

const expressionsOf = (write: Input) =>
  Object.entries(write).flatMap(([name, value]) => (name.endsWith('Expression') ? [String(value)] : []));

const parameters = (write: Input) => [
  write['Key'],
  write['Item'],
  write['ExclusiveStartKey'],
  write['ExpressionAttributeValues'],
];

/** All texts in a value that are too long to occur by chance. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.length > 3 ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
