import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { listStandingDevices } from '../../data/fleet/standing-devices';
import { dynamodb, table } from '../../data/store/dynamodb';
import { givenFreeDevices } from '../channels/flying-device';
import { standingItem } from '../channels/standing-item';
import { id } from '../domain/fixtures/samples';
import { meterConsumption } from './support/recorded-calls';
import { percentile, type Measured, type Measurement } from './support/figure';
import { startLocalStack } from './support/local-stack';
import { connectPartner } from './support/partner-client';
import { useStorage } from './support/storage';

const DEVICES = 1000;
/** With the warm-up at most 60, which a client may make in a minute. */
const WARM_UP = 12;
const CALLS = 46;
const MAX_SLOWER_MS = 100;
const MAX_UNITS_PER_100 = 4;

/** A dispatch among 1,000 devices that stand: how much longer it takes than a create, and what its ranking reads. */
export const dispatch: Measurement = async () => [await timeBesideCreate(), await readUnits()];

async function timeBesideCreate(): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'dispatch-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory']);
  try {
    process.env['STACK_FILE'] = join(stack.dataFolder, 'stack.json');
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
    const { subjects, call } = await connectPartner(stack.facts);
    const { deviceGroupId } = subjects;
    await givenFreeDevices(deviceGroupId, DEVICES);
    const desiredLocation = { type: 'Point', coordinates: [8.5417, 47.3769] };
    const bodies = {
      'POST /v3/jobs/create': { name: 'Survey', deviceGroupId, desiredLocation },
      'POST /v3/jobs/dispatch': { name: 'Alarm', desiredLocation },
    } as const;
    const times = { 'POST /v3/jobs/create': [] as number[], 'POST /v3/jobs/dispatch': [] as number[] };
    for (let count = 0; count < WARM_UP + CALLS; count += 1)
      for (const key of ['POST /v3/jobs/create', 'POST /v3/jobs/dispatch'] as const) {
        const begin = performance.now();
        await call(key, { path: {}, body: bodies[key] });
        if (count >= WARM_UP) times[key].push(performance.now() - begin);
      }
    const [create, dispatched] = Object.values(times).map((each) => percentile(each, 95)) as [number, number];
    return {
      figure: `dispatch among ${DEVICES} devices, p95 beside a create`,
      measured: `${dispatched.toFixed(0)} ms to ${create.toFixed(0)} ms, ${(dispatched - create).toFixed(0)} ms more`,
      mustBe: `at most ${MAX_SLOWER_MS} ms more`,
      ok: dispatched - create <= MAX_SLOWER_MS,
    };
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
}

async function readUnits(): Promise<Measured> {
  await useStorage();
  const organisation = 'units000';
  for (let number = 0; number < DEVICES; number += 1) {
    const deviceId = id('device', organisation, String(number).padStart(26, '0'));
    const Item = standingItem(organisation, { deviceId, deviceGroupId: id('group', organisation), place: [8.5, 47.4] });
    await dynamodb.send(new PutCommand({ TableName: table('fleet'), Item }));
  }
  const meter = meterConsumption();
  const devices = await listStandingDevices(organisation, undefined);
  if (devices.length !== DEVICES) throw new Error(`only ${devices.length} devices stand`);
  const per100 = (meter.read().units / DEVICES) * 100;
  return {
    figure: 'read units of the ranking for each 100 devices',
    measured: per100.toFixed(2),
    mustBe: `at most ${MAX_UNITS_PER_100}`,
    ok: per100 <= MAX_UNITS_PER_100,
  };
}
