import {
  InternalServerError,
  ProvisionedThroughputExceededException,
  ResourceNotFoundException,
  ThrottlingException,
} from '@aws-sdk/client-dynamodb';
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

/** Operations that send several commands at the same time: the partitions of the groups and of the devices are queried. */
const parallel: Readonly<Record<string, number>> = { listDeviceGroups: 9, listDevicesOf: 9 };

describe.each(operations)('%s', (name, run) => {
  beforeEach(async () => {
    store.rejects(faults[0]);
    await run().catch(() => undefined);
  });

  test('sends its commands once and leaves retries to the SDK', () => {
    expect(sent()).toHaveLength(parallel[name] ?? 1);
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
