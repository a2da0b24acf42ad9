import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { createAwsEndpoint, type AwsEndpoint } from '../../local/aws-endpoint';
import { onBreakdown } from '../../local/breakdown';
import { createDynamoDb } from '../../local/dynamodb';
import { forward } from '../../local/dynamodb/forward';
import { freePort } from '../../local/free-port';
import { startEngine, type DynamoDbEngine } from '../../local/dynamodb/engine';
import type { AwsApi, Resource, Service } from '../../local/service';
import { until } from './iot-given';

// Programs are started, on a machine that may be busy.
jest.setTimeout(60_000);

const table: Resource = {
  logicalId: 'Things',
  type: 'AWS::DynamoDB::Table',
  properties: {
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  },
  metadata: {},
};

/** Process ids of the programs that run with this file, the shell that watches over the engine left out. */
function enginesOn(file: string): number[] {
  const all = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const own = all.map((line) => line.trim()).filter((line) => line.endsWith(`--db-path ${file}`));
  return own.filter((line) => !line.includes('/bin/sh')).map((line) => Number.parseInt(line));
}

describe('A DynamoDB engine that dies', () => {
  let folder: string;
  let file: string;
  let engine: DynamoDbEngine;
  let endpoint: AwsEndpoint;
  let client: DynamoDBClient;
  let dynamoDb: (Service & AwsApi) | undefined;
  const told: string[] = [];

  beforeAll(() => onBreakdown(({ message }) => told.push(message)));
  beforeEach(async () => {
    jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    told.length = 0;
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

  describe('and comes back', () => {
    beforeEach(async () => {
      engine = await startEngine(file);
      await play(engine.url);
    });
    afterEach(() => engine.stop());

    it('has all that it acknowledged, and answers who asks meanwhile', async () => {
      await put('before');
      for (const pid of enginesOn(file)) process.kill(pid, 'SIGKILL');
      await put('after');
      const { Items = [] } = await client.send(new ScanCommand({ TableName: 'Things' }));
      expect(Items.map(({ id }) => id?.S).sort()).toEqual(['after', 'before']);
      expect(told).toEqual([]);
    });

    it('is given up, with one line that says so, when it keeps dying', async () => {
      while (told.length === 0) {
        for (const pid of enginesOn(file)) process.kill(pid, 'SIGKILL');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(told).toEqual([
        expect.stringMatching(/^The DynamoDB engine died 5 times in a minute: .* is kept: start again\.$/),
      ]);
      expect(told[0]).toContain(file);
    });
  });

  it('is waited for by who asks while nobody listens', async () => {
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

  it('of a file that it can not read names it, and what to do', async () => {
    await writeFile(file, 'x'.repeat(4096));
    await expect(startEngine(file)).rejects.toThrow(
      new RegExp(`did not start with ${file}: .*put back a copy of it, or remove ${folder} to start afresh\\.$`),
    );
  });

  it('whose disk is full ends the stack in one line, and what it could not keep is not acknowledged', async () => {
    // The engine's words, on a file system of 600 KB.
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
    await until(() => told.length > 0);
    expect(new Set(told)).toEqual(new Set([`${file}: no space left on the device; free some and start again`]));
    full.closeAllConnections();
    await new Promise((closed) => full.close(closed));
  });
});
