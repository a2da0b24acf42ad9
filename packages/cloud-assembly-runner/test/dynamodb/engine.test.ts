import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { Pool } from 'undici';
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { createAwsEndpoint, type AwsEndpoint } from '../../aws-endpoint';
import { onFatalError } from '../../stack/fatal-error';
import { createDynamoDb } from '../../dynamodb';
import { forward } from '../../dynamodb/forward';
import { freePort } from '../../free-port';
import { startEngine, type DynamoDbEngine, findBinary } from '../../dynamodb/engine';
import type { AwsApi, Resource, Service } from '../../service';
import { until } from '../until';

const table: Resource = {
  logicalId: 'Things',
  type: 'AWS::DynamoDB::Table',
  properties: {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  },
  metadata: {},
};

/** Process ids of engines on this file, without the supervising shell. */
function enginesOn(file: string): number[] {
  const all = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const own = all.map((line) => line.trim()).filter((line) => line.endsWith(`--db-path ${file}`));
  return own.filter((line) => !line.includes('/bin/sh')).map((line) => Number.parseInt(line));
}

describe('A crashed DynamoDB engine', () => {
  let folder: string;
  let file: string;
  let engine: DynamoDbEngine;
  let endpoint: AwsEndpoint;
  let client: DynamoDBClient;
  let dynamoDb: (Service & AwsApi) | undefined;
  const breakdowns: string[] = [];

  beforeAll(() => onFatalError(({ message }) => breakdowns.push(message)));
  beforeEach(async () => {
    jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    breakdowns.length = 0;
    folder = await mkdtemp(join(tmpdir(), 'engine-test-'));
    file = join(folder, 'dynamodb.sqlite');
    endpoint = createAwsEndpoint();
    await endpoint.start();
    client = new DynamoDBClient({ endpoint: endpoint.url, region: 'eu-central-1', credentials: endpoint.admin });
  });
  afterEach(async () => {
    client.destroy();
    await dynamoDb?.stop?.();
    dynamoDb = undefined;
    await endpoint.stop();
    jest.restoreAllMocks();
    await rm(folder, { recursive: true });
  });
  const play = async (url: string) => {
    dynamoDb = createDynamoDb(url, undefined, file);
    endpoint.add(dynamoDb);
    await dynamoDb.create(table);
  };
  const put = (id: string) => client.send(new PutItemCommand({ TableName: 'Things', Item: { id: { S: id } } }));

  describe('and restarts', () => {
    beforeEach(async () => {
      engine = await startEngine(file);
      await play(engine.url);
    });
    afterEach(() => engine.stop());

    test('restarts with all acknowledged writes while callers wait', async () => {
      await put('before');
      for (const pid of enginesOn(file)) process.kill(pid, 'SIGKILL');
      await put('after');
      const { Items = [] } = await client.send(new ScanCommand({ TableName: 'Things' }));
      expect(Items.map(({ id }) => id?.S).sort()).toEqual(['after', 'before']);
      expect(breakdowns).toEqual([]);
    });

    test('ends the stack in one line when it keeps crashing', async () => {
      while (breakdowns.length === 0) {
        for (const pid of enginesOn(file)) process.kill(pid, 'SIGKILL');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(breakdowns).toEqual([
        expect.stringMatching(/^The DynamoDB engine crashed 5 times in a minute: .* is kept: start again\.$/),
      ]);
      expect(breakdowns[0]).toContain(file);
    });
  });

  test('makes callers wait while its port is closed', async () => {
    const port = await freePort();
    const pool = new Pool(`http://127.0.0.1:${port}`);
    const call = { service: 'dynamodb', method: 'POST', path: '/', headers: {}, body: Buffer.from('{}') };
    const answer = forward(pool, call);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const server = createServer((_request, response) => response.end('{}')).listen(port, '127.0.0.1');
    await expect(answer).resolves.toMatchObject({ status: 200 });
    await pool.close();
    server.close();
  });

  test("names file and remedy when it can't read its file", async () => {
    await writeFile(file, 'x'.repeat(4096));
    await expect(startEngine(file)).rejects.toThrow(
      new RegExp(`did not start with ${file}: .*put back a copy of it, or remove ${folder} to start afresh\\.$`),
    );
  });

  test('ends the stack in one line when its disk is full, and does not acknowledge the write', async () => {
    // The engine's error on a file system of 600 KB.
    const message = 'commit failed (backend: database or disk is full) and rollback also failed';
    const full = createServer((request, response) => {
      request.resume().once('end', () => {
        const isWrite = String(request.headers['x-amz-target']).endsWith('PutItem');
        response.writeHead(isWrite ? 500 : 200, { 'content-type': 'application/x-amz-json-1.0' });
        const KeySchema = table.properties['KeySchema'];
        response.end(
          JSON.stringify(
            isWrite
              ? { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message }
              : { Table: { KeySchema } },
          ),
        );
      });
    });
    await new Promise<void>((listening) => full.listen(0, '127.0.0.1', listening));
    await play(`http://127.0.0.1:${(full.address() as AddressInfo).port}`);
    await expect(put('refused')).rejects.toThrow('disk is full');
    await until(() => breakdowns.length > 0);
    expect(new Set(breakdowns)).toEqual(new Set([`${file}: no space left on the device; free some and start again`]));
    full.closeAllConnections();
    await new Promise((closed) => full.close(closed));
  });
});

describe('Engine binary', () => {
  const installed = (name: string) => `/node_modules/${name}`;

  test.each([
    ['darwin', 'arm64', '/node_modules/@dynoxide/darwin-arm64/dynoxide'],
    ['darwin', 'x64', '/node_modules/@dynoxide/darwin-x64/dynoxide'],
    ['linux', 'arm64', '/node_modules/@dynoxide/linux-arm64/dynoxide'],
    ['linux', 'x64', '/node_modules/@dynoxide/linux-x64/dynoxide'],
    ['win32', 'x64', '/node_modules/@dynoxide/win32-x64/dynoxide.exe'],
  ])('the engine of %s-%s is %s', (platform, arch, binary) => {
    expect(findBinary(platform, arch, installed)).toBe(binary);
  });

  test('the engine of this platform is installed', () => {
    expect(existsSync(findBinary())).toBe(true);
  });

  test('an engine that is not installed is refused with the command that installs it', () => {
    expect(() => findBinary('sunos', 'x64')).toThrow(
      'There is no DynamoDB engine for sunos-x64: run npm install --no-save @dynoxide/sunos-x64@1.2.1, or set DYNAMODB_ENDPOINT',
    );
  });
});
