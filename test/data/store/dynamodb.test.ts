import { GetCommand } from '../../../data/store/document-client';
import { dynamodb, table } from '../../../data/store/dynamodb';
import { storeBehindRealConnection } from '../fixtures/real-connection';

test('A table has the name that the function was bound to.', () => {
  process.env['JOBS_TABLE'] = 'stack-jobs-1';
  expect(table('JOBS')).toBe('stack-jobs-1');
});

test.each([undefined, ''])('A table that the function was not bound to (%j) is an error that names it.', (value) => {
  if (value === undefined) delete process.env['SHARES_TABLE'];
  else process.env['SHARES_TABLE'] = value;
  expect(() => table('SHARES')).toThrow('SHARES_TABLE is not set');
});

describe('A store behind a real connection', () => {
  let calls = 0;
  /** What the store does with its first call. */
  let first: 'hang' | 'throttle' | 'break off' = 'hang';

  storeBehindRealConnection((request, response) => {
    calls += 1;
    if (calls > 1) response.end('{"Item":{"id":{"S":"a"}}}');
    else if (first === 'break off') request.socket.destroy();
    else if (first === 'throttle') response.writeHead(400).end('{"__type":"ThrottlingException"}');
  });

  test.each(['hang', 'throttle', 'break off'] as const)('is asked again when a call meets a %s.', async (fault) => {
    first = fault;
    calls = 0;
    const { Item } = await dynamodb.send(new GetCommand({ TableName: 'jobs', Key: { id: 'a' } }));
    expect([Item, calls]).toEqual([{ id: 'a' }, 2]);
  });
});
