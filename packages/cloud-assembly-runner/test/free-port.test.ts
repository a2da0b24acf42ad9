import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port';

jest.mock('node:crypto', () => ({ randomInt: jest.fn(() => numbers.shift()) }));
let numbers: number[] = [];

const reservations = join(tmpdir(), `cloud-assembly-runner-ports-${userInfo().uid}`);
// Those of an earlier run.
beforeAll(() =>
  ['16001', '16002', '16003', '16004'].forEach((port) => rmSync(join(reservations, port), { force: true })),
);

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

  test.each([
    { of: 'lives', pid: process.ppid, port: 16_006 },
    { of: 'has ended', pid: 2 ** 22 + 1, port: 16_005 },
  ])('of another process that $of is $port', async ({ pid, port }) => {
    numbers = [16_005, 16_005, 16_006];
    mkdirSync(reservations, { recursive: true });
    rmSync(join(reservations, '16006'), { force: true });
    writeFileSync(join(reservations, '16005'), String(pid));
    expect(await freePort()).toBe(port);
  });

  test('is given once, although its first caller does not listen yet', async () => {
    numbers = [16_003, 16_003, 16_004];
    expect([await freePort(), await freePort()]).toEqual([16_003, 16_004]);
  });
});
