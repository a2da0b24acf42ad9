import type { Client } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { goOffline, report } from './device-reports';
import type { Message } from './message-log';
import { sampleOf } from './telemetry-socket';

/** A resource and the state that a change led to. */
export interface Made {
  readonly id: string;
  readonly state: string;
}

/** Makes a change. */
export type Change = () => Promise<Made>;

const moves = ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] as const;
/** A round: each of four devices goes online and offline, a job moves on, and a share is created or ends. */
export const CHANGES_IN_ROUND = 10;

/** The state that an event is about. */
export const madeBy = ({ jobId, deviceId, shareCode, jobState, status, shareState }: Message): Made => ({
  id: String(shareCode ?? (jobState === undefined ? deviceId : jobId)),
  state: String(jobState ?? status ?? shareState),
});

/** Sorted by resource; what happened to one of them keeps its order. */
export const byResource = (made: readonly Made[]) =>
  made.toSorted((one, other) => (one.id < other.id ? -1 : Number(one.id > other.id)));

const setOnline =
  (deviceId: string): Change =>
  async () => {
    const { deviceId: _, ...state } = sampleOf(deviceId, { droneState: 'DOCKED' });
    await report(deviceId, state);
    return { id: deviceId, state: 'online' };
  };

const setOffline =
  (deviceId: string): Change =>
  async () => {
    await goOffline(deviceId);
    return { id: deviceId, state: 'offline' };
  };

const moveJob =
  (client: Client, jobId: string, status: (typeof moves)[number]): Change =>
  async () => {
    const answer = await client.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status } });
    expect(answer.status).toBe(200);
    return { id: jobId, state: status };
  };

/** Creates a share, and ends it. */
function shareChanges(client: Client): readonly [Change, Change] {
  let shareCode = '';
  const create = async () => {
    ({ shareCode } = await givenShare(client));
    return { id: shareCode, state: 'ACTIVE' };
  };
  const revoke = async () => {
    const { status } = await client.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } });
    expect(status).toBe(200);
    return { id: shareCode, state: 'REVOKED' };
  };
  return [create, revoke];
}

/**
 * Creates jobs for rounds of changes.
 * @param partners clients of an organisation, which take turns, since each may create so many jobs and shares a minute
 * @returns `lanes`: changes to make one after the other, those of different lanes at once
 */
export async function givenChanges([first, ...others]: readonly [Client, ...Client[]], rounds: number) {
  const partners = [first, ...others];
  const inTurn = (index: number) => partners[index % partners.length] ?? first;
  const jobCount = Math.ceil(rounds / moves.length);
  const jobs = await Promise.all(Array.from({ length: jobCount }, (_, index) => givenJob(inTurn(index))));
  const devices = first.credentials.deviceGroups.flatMap((group) => group.devices.map(({ deviceId }) => deviceId));
  const everyRound = Array.from({ length: rounds });
  const lanes: Change[][] = [
    ...devices.map((deviceId) => everyRound.flatMap(() => [setOnline(deviceId), setOffline(deviceId)])),
    jobs.flatMap(({ jobId }, index) => moves.map((status) => moveJob(inTurn(index), jobId, status))).slice(0, rounds),
    everyRound.flatMap((_, index) => shareChanges(inTurn(index))).slice(0, rounds),
  ];
  const { deviceGroupId, otherGroupId } = fleetOf(first);
  return { lanes, jobIds: jobs.map(({ jobId }) => jobId), groupIds: [deviceGroupId, otherGroupId] };
}
