import { marshall } from '@aws-sdk/util-dynamodb';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fleetKey, devicePartitions } from '../../data/fleet/fleet-key';
import { jobToItem } from '../../data/jobs/jobs';
import { tableNames, tableVariable } from '../../domain/values/table-names';
import { acme, fullSample, id, sampleJob } from '../domain/fixtures/samples';
import { median, type Measured } from './support/figure';

/** Flying devices of one organisation at 1 Hz that the fan-out must keep up with. */
const MIN_DEVICES = 2000;
/** `lib/functions/change-stream.ts`, `lib/channels/fan-out.ts`. */
const BATCH_SIZE = 100;
const BATCHES_PER_SHARD = 10;
/** DynamoDB developer guide, "Best practices for designing and using partition keys effectively". */
const PARTITION_UNITS = 1000;
const UNIT_BYTES = 1024;
/** Of each call: DynamoDB answers in "single-digit milliseconds" (its developer guide); AWS IoT promises nothing. */
const LATENCY_MS = 10;
const ROUNDS = 20;

const deviceId = (index: number) => id('device', acme, String(index).padStart(26, '0'));
const jobId = (index: number) => id('job', acme, String(index).padStart(26, '0'));

/** The item of a flying device whose job runs, `second` seconds after the begin. */
function deviceItem(index: number, second: number) {
  const timestamp = new Date(Date.UTC(2026, 10, 27, 10, 30, second)).toISOString();
  const state = { ...fullSample, deviceId: undefined, timestamp, droneState: 'FLYING', jobId: jobId(index) };
  return {
    ...fleetKey(acme, deviceId(index)),
    kind: 'device',
    deviceId: deviceId(index),
    deviceGroupId: id('group'),
    name: 'Kestrel',
    status: 'online',
    presentIn: acme,
    version: 100 + second,
    transitions: 0,
    lastState: JSON.stringify(state),
    reportedAt: timestamp,
    savedAt: timestamp,
  };
}

const image = (item: object) => marshall(item, { removeUndefinedValues: true });

function batch(second: number) {
  return Array.from({ length: BATCH_SIZE }, (_, index) => ({
    eventSourceARN: 'arn',
    dynamodb: {
      Keys: image(fleetKey(acme, deviceId(index))),
      OldImage: image(deviceItem(index, second)),
      NewImage: image(deviceItem(index, second + 1)),
      SequenceNumber: String(index),
      ApproximateCreationDateTime: Date.UTC(2026, 10, 27, 10, 30, second + 1) / 1000,
    },
  }));
}

/** Answers every call after the latency: each job is running, and nobody follows. */
async function answer(target: string, body: string, response: ServerResponse) {
  await pause(LATENCY_MS);
  const operation = target.slice(target.lastIndexOf('.') + 1);
  const { Key } = (operation === 'GetItem' ? JSON.parse(body) : {}) as { Key?: { jobId?: { S: string } } };
  const job = Key?.jobId && sampleJob({ jobId: Key.jobId.S, status: 'IN_PROGRESS', deviceId: undefined });
  const found = job ? { Item: image(jobToItem(acme, job)) } : {};
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(JSON.stringify(operation === 'Query' ? { Items: [] } : found));
}

/**
 * How many flying devices of one organisation the fan-out keeps up with: the time of a batch is measured, with services that
 * answer after their latency, and one processor for the function and them; the rest is arithmetic.
 */
export async function fanOutCeiling(): Promise<readonly Measured[]> {
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    void text(request).then((body) => answer(String(request.headers['x-amz-target'] ?? ''), body, response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const settings = {
    ...Object.fromEntries(tableNames.map((name) => [tableVariable(name), name])),
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    EVENT_RETENTION_DAYS: '7',
    FLIGHT_RETENTION_DAYS: '90',
  };
  const before = { ...process.env };
  Object.assign(process.env, settings);
  try {
    // Its clients read the environment while it is loaded.
    const load = createRequire(__filename);
    const { handler } = load(
      '../lambdas/channels/status-fan-out.lambda',
    ) as typeof import('../../lambdas/channels/status-fan-out.lambda');
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begin = performance.now();
      const { batchItemFailures } = await handler({ Records: batch(round) });
      if (batchItemFailures.length > 0) throw new Error('the fan-out failed');
      times.push(performance.now() - begin);
    }
    return ceiling(median(times), calls / ROUNDS);
  } finally {
    process.env = before;
    server.closeAllConnections();
    server.close();
  }
}

/** @param batchMs time of a batch @param calls of a batch */
function ceiling(batchMs: number, calls: number): Measured[] {
  const units = Math.ceil(JSON.stringify(deviceItem(1, 1)).length / UNIT_BYTES);
  const written = PARTITION_UNITS / units;
  const publishedBy = (lanes: number) => (lanes * BATCH_SIZE * 1000) / batchMs;
  const devices = devicePartitions(acme).length * Math.min(written, publishedBy(BATCHES_PER_SHARD));
  const [partitions, perShard] = [devicePartitions(acme).length, Math.round(publishedBy(BATCHES_PER_SHARD))];
  const before = Math.round(Math.min(written, publishedBy(1)));
  return [
    {
      figure: 'Fan-out of a batch of 100 flying devices',
      measured: `${Math.round(batchMs)} ms, ${Math.round(calls)} calls of ${LATENCY_MS} ms`,
      mustBe: '-',
      ok: true,
    },
    {
      figure: `Flying devices of one organisation at 1 Hz: ${partitions} partitions × min(${PARTITION_UNITS} units / ${units}, ${BATCHES_PER_SHARD} × 100 / batch = ${perShard})`,
      measured: `${Math.round(devices)} (one partition, one batch at a time: ${before})`,
      mustBe: `at least ${MIN_DEVICES}`,
      ok: devices >= MIN_DEVICES,
    },
  ];
}
