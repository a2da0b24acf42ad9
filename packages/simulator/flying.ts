import type { Flight } from './course';
import { dockPositionOf } from './dock';
import type { SimulatedDevice } from './inventory';
import type { Mission } from './missions';

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
