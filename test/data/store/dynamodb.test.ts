import { useRealConnection } from '../fixtures/real-connection';
import { GetCommand } from '../../../data/store/document-client';
import { dynamodb, table } from '../../../data/store/dynamodb';
import { tableNames, tableVariable } from '../../../domain/table';

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
  let first: 'hang' | 'throttle' | 'break off' = 'hang';

  useRealConnection((request, response) => {
    calls += 1;
    if (calls > 1) response.end('{"Item":{"id":{"S":"a"}}}');
    else if (first === 'break off') request.socket.destroy();
    else if (first === 'throttle') response.writeHead(400).end('{"__type":"ThrottlingException"}');
  });

  test.each(['hang', 'throttle', 'break off'] as const)('retries after the fault: %s', async (fault) => {
    first = fault;
    calls = 0;
    const { Item } = await dynamodb.send(new GetCommand({ TableName: 'jobs', Key: { id: 'a' } }));
    expect([Item, calls]).toEqual([{ id: 'a' }, 2]);
  });
});
