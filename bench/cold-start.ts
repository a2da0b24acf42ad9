import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { endpointTable, scopes } from '../contract/access';
import type { EndpointKey } from '../contract/endpoints';
import { toItem } from '../data/job-item';
import { dynamodb, table } from '../data/table';
import { bundle } from '../lib/bundle';
import { acme, id, sampleJob, sampleShare } from '../test/domain/fixtures/samples';
import { request } from '../test/lambdas/fixtures/api-gateway';
import { median, type Measurement } from './figure';
import { requestsAbout } from './requests';
import { startStorage } from './storage';

const run = promisify(execFile);

const rounds = 15;
const atMost = 1.25;
const bare = 'bare-function';

const subjects = {
  jobId: id('job'),
  shareCode: id('share'),
  deviceGroupId: id('group'),
  deviceId: id('device'),
  clientId: 'client1',
  clientSecret: 'secret',
};

/** A function to be started: its bundle, its first event, and what it should answer. */
interface Start {
  readonly name: string;
  readonly file: string;
  readonly event: unknown;
  readonly status: number;
}

/**
 * Loads the bundle of every endpoint and makes a first call, each time in a fresh process, all in turn with a function
 * that does nothing but read one item, against the same engine.
 */
export const coldStart: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cold-start-'));
  const storage = await startStorage();
  Object.assign(process.env, storage.environment);
  const identity = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: 'token', token_type: 'Bearer', expires_in: 3600 }));
  }).listen(0, '127.0.0.1');
  await once(identity, 'listening');
  const environment = {
    ...storage.environment,
    TOKEN_URL: `http://127.0.0.1:${(identity.address() as AddressInfo).port}`,
    SHARE_BASE_URL: 'https://share.test',
    POWERTOOLS_SERVICE_NAME: 'drone-mission-api',
  };
  try {
    const starts = bundleAll(folder);
    const times = new Map(starts.map(({ name }) => [name, [] as number[]]));
    for (let round = 0; round < rounds; round++) {
      for (const start of starts) {
        await storeSubjects();
        times.get(start.name)?.push(await timeOf(start, join(folder, 'first-call', 'index.js'), environment));
      }
    }
    const base = median(times.get(bare) ?? []);
    return [...times].map(([name, taken]) => ({
      figure: `init + first call: ${name}`,
      measured: `${median(taken).toFixed(1)} ms, ${(median(taken) / base).toFixed(2)} x bare`,
      mustBe: `at most ${atMost} x bare`,
      ok: median(taken) / base <= atMost,
    }));
  } finally {
    identity.close();
    await storage.stop();
    await rm(folder, { recursive: true });
  }
};

function bundleAll(folder: string): Start[] {
  const file = (entry: string) => join(folder, entry, 'index.js');
  const requests = requestsAbout(subjects);
  const byHandler = new Map(
    (Object.keys(requests) as EndpointKey[]).map((key) => [`http/${endpointTable[key].handler}`, key] as const),
  );
  bundle([...byHandler.keys()], folder);
  bundle([bare, 'first-call'], folder, 'bench');
  const endpoints = [...byHandler].map(([entry, key]) => ({
    name: entry.slice('http/'.length),
    file: file(entry),
    event: request({ scopes, apiKeyId: 'key', ...requests[key] }),
    status: endpointTable[key].reply.status,
  }));
  const key = { organisation: acme, jobId: subjects.jobId };
  return [{ name: bare, file: file(bare), event: { Key: key }, status: 200 }, ...endpoints];
}

/** What the calls are about, again in the state that each needs. */
async function storeSubjects(): Promise<void> {
  const share = sampleShare({ expiresAt: '2999-01-01T00:00:00.000Z' });
  const group = { deviceGroupId: subjects.deviceGroupId, name: 'North quarry', description: '' };
  const device = { deviceId: subjects.deviceId, deviceGroupId: subjects.deviceGroupId, name: 'Kestrel' };
  const partner = { clientId: 'client1', organisation: acme, name: 'Acme', apiKeyId: 'key', scopes, status: 'active' };
  const items = {
    JOBS: [toItem(acme, sampleJob())],
    SHARES: [{ ...share, organisation: acme }],
    FLEET: [
      { ...group, organisation: acme, id: subjects.deviceGroupId, kind: 'group' },
      { ...device, organisation: acme, id: subjects.deviceId, kind: 'device', status: 'online' },
    ],
    PARTNERS: [{ ...partner, createdAt: '2026-11-27T10:00:00.000Z' }],
  };
  for (const [name, rows] of Object.entries(items)) {
    const TableName = table(name as keyof typeof items);
    for (const Item of rows) await dynamodb.send(new PutCommand({ TableName, Item }));
  }
}

async function timeOf({ name, file, event, status }: Start, firstCall: string, environment: Record<string, string>) {
  const { stdout } = await run(process.execPath, [firstCall, file, JSON.stringify(event)], { env: environment });
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const { ms, statusCode } = JSON.parse(last) as { ms: number; statusCode: number };
  if (statusCode !== status) throw new Error(`${name} answered ${statusCode}, not ${status}: ${stdout}`);
  return ms;
}
