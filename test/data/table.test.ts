import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand } from '../../data/documents';
import { dynamodb, table } from '../../data/table';

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
  let server: Server;
  let calls = 0;
  /** What the store does with its first call. */
  let first: 'hang' | 'throttle' | 'break off' = 'hang';

  beforeAll(async () => {
    server = createServer((request, response) => {
      calls += 1;
      if (calls > 1) response.end('{"Item":{"id":{"S":"a"}}}');
      else if (first === 'break off') request.socket.destroy();
      else if (first === 'throttle') response.writeHead(400).end('{"__type":"ThrottlingException"}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'any',
      AWS_SECRET_ACCESS_KEY: 'any',
    });
  });

  afterAll(() => {
    dynamodb.destroy();
    server.closeAllConnections();
    server.close();
  });

  test.each(['hang', 'throttle', 'break off'] as const)('is asked again when a call meets a %s.', async (fault) => {
    first = fault;
    calls = 0;
    const { Item } = await dynamodb.send(new GetCommand({ TableName: 'jobs', Key: { id: 'a' } }));
    expect([Item, calls]).toEqual([{ id: 'a' }, 2]);
  });
});
