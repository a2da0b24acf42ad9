import { createServer } from 'node:net';
import { freePort } from '../free-port';

jest.mock('node:crypto', () => ({ randomInt: jest.fn(() => numbers.shift()) }));
let numbers: number[] = [];

const listen = (port: number) =>
  new Promise<() => Promise<void>>((listening, failed) => {
    const server = createServer();
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => listening(() => new Promise((closed) => void server.close(() => closed()))));
  });

describe('A free port', () => {
  test('is free, and is no other’s', async () => {
    numbers = [16_001, 16_002];
    const close = await listen(16_001);
    expect(await freePort()).toBe(16_002);
    await close();
  });

  test('is given once, although its first caller does not listen yet', async () => {
    numbers = [16_003, 16_003, 16_004];
    expect([await freePort(), await freePort()]).toEqual([16_003, 16_004]);
  });
});
