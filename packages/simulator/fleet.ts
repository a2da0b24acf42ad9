import { paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { tableVariable } from '../../domain/values/table-names';
import type { Flight } from './course';
import { dockPositionOf } from './dock';
import type { Mission } from './missions';
import { setting } from './settings';
import { dynamodb } from './table';

const device = z.object({ kind: z.literal('device'), deviceId: z.string(), deviceGroupId: z.string() });
export type SimulatedDevice = z.output<typeof device>;

/** All registered devices: each one is simulated. */
export async function listDevices(): Promise<SimulatedDevice[]> {
  const found: SimulatedDevice[] = [];
  const pages = paginateScan(
    { client: dynamodb },
    {
      TableName: setting(tableVariable('fleet')),
      ProjectionExpression: '#kind, deviceId, deviceGroupId',
      FilterExpression: '#kind = :device',
      ExpressionAttributeNames: { '#kind': 'kind' },
      ExpressionAttributeValues: { ':device': 'device' },
    },
  );
  for await (const page of pages) {
    found.push(...(page.Items ?? []).map((each) => device.parse(each)));
  }
  return found;
}

export interface Fleet {
  readonly seed: string;
  /** Time factor of missions: 1 is real time. */
  readonly speed: number;
  readonly devices: readonly SimulatedDevice[];
  /** Whether idle devices report in this tick. */
  readonly idleReports: boolean;
}

/** A mission that a device flies. */
export type Flying = Mission & { readonly deviceId: string; readonly takenAt: string };
export const isFlying = (mission: Mission): mission is Flying =>
  mission.state === 'flying' && mission.deviceId !== undefined && mission.takenAt !== undefined;

/** Seconds of the mission in a second. */
export const speedOf = ({ plan }: Flying, { speed }: Fleet) => speed * plan.speed;

/** Seconds of the mission. */
export const elapsedOf = (mission: Flying, fleet: Fleet, now: Date) =>
  ((now.getTime() - Date.parse(mission.takenAt)) / 1000) * speedOf(mission, fleet);

export const flightOf = ({ jobId, deviceId, deviceGroupId, plan, commands }: Flying, { seed }: Fleet): Flight => ({
  seed,
  jobId,
  dock: dockPositionOf(seed, deviceGroupId, deviceId),
  plan,
  commands,
});
