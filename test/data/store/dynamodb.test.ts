import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { useRealConnection } from '../fixtures/real-connection';
import { dynamodb, removedMiddleware, table } from '../../../data/store/dynamodb';
import { findFailedCall, noteFailedCall } from '../../../data/store/failed-call';
import { tableNames, tableVariable } from '../../../domain/values/table-names';
import { setting } from '../../../data/store/environment';
import { newId, newOrganisation, newShareCode } from '../../../data/store/new-id';
import { kinds, organisationOf } from '../../../domain/values/id';
import { cutPage, parseItems } from '../../../data/store/query';
import '../../lambdas/fixtures/log';

describe('DynamoDB', () => {
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
      expect(findFailedCall(error as Error)).toEqual({ operation: 'PutItem', tables: ['jobs'] });
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
    [
      'BatchGetCommand',
      { RequestItems: { jobs: {}, fleet: {} } },
      { operation: 'BatchGet', tables: ['jobs', 'fleet'] },
    ],
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
    expect(findFailedCall(error)).toEqual(expected);
    expect(findFailedCall(new Error('another'))).toBeUndefined();
  });
});

describe('Environment', () => {
  afterEach(() => {
    delete process.env['SOME_SETTING'];
  });

  test('setting returns the environment variable', () => {
    process.env['SOME_SETTING'] = 'https://queue.test';
    expect(setting('SOME_SETTING')).toBe('https://queue.test');
  });

  test.each([undefined, ''])('setting fails with the name of a variable that is %j', (value) => {
    if (value !== undefined) process.env['SOME_SETTING'] = value;
    expect(() => setting('SOME_SETTING')).toThrow('SOME_SETTING is not set');
  });
});

describe('A new identifier', () => {
  const now = '2026-11-27T10:00:00.000Z';
  const many = <Made>(make: () => Made) => Array.from({ length: 1000 }, make);

  test.each(kinds)('a new %s belongs to its organisation', (kind) => {
    const organisation = newOrganisation();
    expect(organisationOf(kind, newId(kind, organisation, now))).toBe(organisation);
  });

  test('identifiers of the same millisecond are unique and sort by creation', () => {
    const made = many(() => newId('job', 'acme0001', now));
    expect(made).toEqual([...new Set(made)].sort());
  });

  test('a share code contains its organisation and sorts by creation', () => {
    const [earlier, later] = [newShareCode('acme0001', now), newShareCode('acme0001', '2026-11-27T10:00:00.001Z')];
    expect(organisationOf('share', later)).toBe('acme0001');
    expect(earlier < later).toBe(true);
  });

  test('a share code ends in 26 letters of base32, 130 random bits', () => {
    const secrets = many(
      () => /^share-acme0001-[0-9a-z]{10}([0-9a-hjkmnp-tv-z]{26})$/.exec(newShareCode('acme0001', now))?.[1],
    );
    expect(new Set(secrets).size).toBe(1000);
    expect(secrets).not.toContain(undefined);
    for (let at = 0; at < 26; at++) expect(new Set(secrets.map((secret) => secret?.[at])).size).toBe(32);
  });

  test('a tag of an organisation is eight letters of base32', () => {
    for (const tag of many(newOrganisation)) expect(tag).toMatch(/^[0-9a-hjkmnp-tv-z]{8}$/);
  });
});

const items = ['a', 'b', 'c'].map((jobId) => ({ jobId }));
const found = (rest: object) => cutPage({ $metadata: {}, ...rest }, 2, 'jobId');

describe('pageOf', () => {
  test('returns no identifier to continue after when no more items were found', () => {
    expect(found({ Items: items.slice(0, 2) })).toEqual({ items: items.slice(0, 2), after: undefined });
    expect(found({})).toEqual({ items: [], after: undefined });
  });

  test('leaves the additional item to the next page', () => {
    const page = { items: items.slice(0, 2), after: 'b' };
    expect(found({ Items: items })).toEqual(page);
    expect(found({ Items: items, LastEvaluatedKey: { jobId: 'c' } })).toEqual(page);
  });

  test('continues after the last key when the query stopped early', () => {
    const page = { items: items.slice(0, 1), after: 'x' };
    expect(found({ Items: items.slice(0, 1), LastEvaluatedKey: { jobId: 'x' } })).toEqual(page);
  });
});

describe('Parse items', () => {
  const read = (item: string) => {
    if (item.startsWith('broken')) throw new TypeError(`${item} is invalid`);
    return item.toUpperCase();
  };

  test('parseItems skips invalid items and keeps the order', () => {
    const log = jest.spyOn(console, 'error').mockReturnValue();
    expect(parseItems(['a', 'broken', 'b', 'broken too'], read)).toEqual(['A', 'B']);
    expect(log).toHaveBeenCalledTimes(2);
  });

  test('parseItems logs only the name of the error, not the content of the item', () => {
    const log = jest.spyOn(console, 'error').mockReturnValue();
    parseItems(['broken kx9mhush7q2v'], read);
    expect(log.mock.calls).toEqual([['an item of a list could not be read', 'TypeError']]);
  });
});
