import { useRealConnection } from '../fixtures/real-connection';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { text } from 'node:stream/consumers';
import { dynamodb, removedMiddleware, table } from '../../../data/store/dynamodb';
import { failedCallOf, noteFailedCall } from '../../../data/store/failed-call';
import { tableNames, tableVariable } from '../../../domain/values/table';

test('each table has its own environment variable', () => {
  expect(tableVariable('jobs')).toBe('JOBS_TABLE');
  expect(new Set(tableNames.map(tableVariable)).size).toBe(tableNames.length);
});

test('table returns the deployed name', () => {
  process.env['JOBS_TABLE'] = 'stack-jobs-1';
  expect(table('jobs')).toBe('stack-jobs-1');
});

test.each([undefined, ''])('table fails with the name of the variable when it is %j', (value) => {
  if (value === undefined) delete process.env['SHARES_TABLE'];
  else process.env['SHARES_TABLE'] = value;
  expect(() => table('shares')).toThrow('SHARES_TABLE is not set');
});

describe('dynamodb over a real connection', () => {
  let calls = 0;
  /** What the store does with its first call. */
  let first: 'hang' | 'throttle' | 'break off' | 'answer' | 'refuse' = 'answer';
  let body: unknown;

  beforeEach(() => {
    calls = 0;
  });

  useRealConnection((request, response) => {
    calls += 1;
    if (first === 'answer')
      void text(request).then((sent) => {
        body = JSON.parse(sent);
        response.end('{}');
      });
    else if (first === 'refuse') response.writeHead(400).end('{"__type":"ResourceNotFoundException"}');
    else if (calls > 1) response.end('{"Item":{"id":{"S":"a"}}}');
    else if (first === 'break off') request.socket.destroy();
    else if (first === 'throttle') response.writeHead(400).end('{"__type":"ThrottlingException"}');
  });

  test.each(['hang', 'throttle', 'break off'] as const)('retries after the fault: %s', async (fault) => {
    first = fault;
    const { Item } = await dynamodb.send(new GetCommand({ TableName: 'jobs', Key: { id: 'a' } }));
    expect([Item, calls]).toEqual([{ id: 'a' }, 2]);
  });

  test('an error says which call it comes from', async () => {
    first = 'refuse';
    const call = dynamodb.send(new PutCommand({ TableName: 'jobs', Item: { id: 'a' } }));
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Error);
    expect(failedCallOf(error as Error)).toEqual({ operation: 'PutItem', tables: ['jobs'] });
  });

  test('leaves out what is undefined and stores every other value', async () => {
    first = 'answer';
    const map = { empty: '', none: null, absent: undefined };
    const Item = { id: 'a', n: 1.5, yes: true, list: ['x', 2, undefined], nothing: [], map, absent: undefined };
    await dynamodb.send(new PutCommand({ TableName: 'jobs', Item }));
    expect(body).toEqual({
      TableName: 'jobs',
      Item: {
        id: { S: 'a' },
        n: { N: '1.5' },
        yes: { BOOL: true },
        list: { L: [{ S: 'x' }, { N: '2' }] },
        nothing: { L: [] },
        map: { M: { empty: { S: '' }, none: { NULL: true } } },
      },
    });
  });
});

test.each(removedMiddleware)('%s is in the SDK client and not in this one', (name) => {
  expect(new DynamoDBClient().middlewareStack.remove(name)).toBe(true);
  expect(dynamodb.middlewareStack.remove(name)).toBe(false);
});

test.each([
  ['BatchGetCommand', { RequestItems: { jobs: {}, fleet: {} } }, { operation: 'BatchGet', tables: ['jobs', 'fleet'] }],
  [
    'TransactWriteCommand',
    {
      TransactItems: [
        { Put: { TableName: 'events' } },
        { Update: { TableName: 'jobs' } },
        { Put: { TableName: 'jobs' } },
      ],
    },
    { operation: 'TransactWrite', tables: ['events', 'jobs'] },
  ],
  [undefined, {}, { operation: '', tables: [] }],
])('a failed %s names its tables', (command, input, expected) => {
  const error = new Error('throttled');
  noteFailedCall(error, command, input);
  expect(failedCallOf(error)).toEqual(expected);
  expect(failedCallOf(new Error('another'))).toBeUndefined();
});
