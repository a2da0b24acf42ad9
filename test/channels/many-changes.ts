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
const JOBS_AT_ONCE = 4;
const SHARES_AT_ONCE = 2;
/** Changes in a round: those of jobs and shares, and of the two devices in each of two groups. */
export const CHANGES_IN_ROUND = JOBS_AT_ONCE + SHARES_AT_ONCE + 4;

/** The state that an event is about. */
export const madeBy = ({ jobId, deviceId, shareCode, jobState, status, shareState }: Message): Made => ({
  id: String(shareCode ?? (jobState === undefined ? deviceId : jobId)),
  state: String(jobState ?? status ?? shareState),
});

/** Sorted by resource; what happened to one of them keeps its order. */
export const byResource = (made: readonly Made[]) =>
  made.toSorted((one, other) => (one.id < other.id ? -1 : Number(one.id > other.id)));

const toggleDevice =
  (deviceId: string, round: number): Change =>
  async () => {
    const { deviceId: _, ...state } = sampleOf(deviceId, { droneState: 'DOCKED' });
    await (round % 2 ? goOffline(deviceId) : report(deviceId, state));
    return { id: deviceId, state: round % 2 ? 'offline' : 'online' };
  };

const moveJob =
  (client: Client, jobId: string, round: number): Change =>
  async () => {
    const status = moves[round % moves.length] ?? 'FAILED';
    const answer = await client.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status } });
    expect(answer.status).toBe(200);
    return { id: jobId, state: status };
  };

/** Creates a share in one round and revokes it in the next. */
function toggleShares(client: Client) {
  let created = '';
  const create = async () => {
    ({ shareCode: created } = await givenShare(client));
    return { id: created, state: 'ACTIVE' };
  };
  const revoke = async () => {
    const { status } = await client.call('DELETE /v3/shares/{shareCode}', { path: { shareCode: created } });
    expect(status).toBe(200);
    return { id: created, state: 'REVOKED' };
  };
  return (round: number): Change => (round % 2 ? revoke : create);
}

/**
 * Creates jobs for rounds of changes; those of a round may be made at once.
 * @param partners clients of an organisation, which take turns, since each may create so many jobs and shares a minute
 * @param rounds an even number, so that devices are offline and shares have ended afterwards
 */
export async function givenChanges([first, ...others]: readonly [Client, ...Client[]], rounds: number) {
  const partners = [first, ...others];
  const inTurn = (index: number) => partners[index % partners.length] ?? first;
  const jobCount = Math.ceil(rounds / moves.length) * JOBS_AT_ONCE;
  const jobs = await Promise.all(Array.from({ length: jobCount }, (_, index) => givenJob(inTurn(index))));
  const devices = first.credentials.deviceGroups.flatMap((group) => group.devices.map(({ deviceId }) => deviceId));
  const changes = Array.from({ length: rounds }, (): Change[] => []);
  const shares = Array.from({ length: rounds * SHARES_AT_ONCE }, (_, index) => toggleShares(inTurn(index)));
  for (const [round, made] of changes.entries()) {
    made.push(...devices.map((deviceId) => toggleDevice(deviceId, round)));
    const from = Math.floor(round / moves.length) * JOBS_AT_ONCE;
    made.push(...jobs.slice(from, from + JOBS_AT_ONCE).map(({ jobId }, index) => moveJob(inTurn(index), jobId, round)));
    const pair = Math.floor(round / 2) * SHARES_AT_ONCE;
    made.push(...shares.slice(pair, pair + SHARES_AT_ONCE).map((toggle) => toggle(round)));
  }
  const { deviceGroupId, otherGroupId } = fleetOf(first);
  return { changes, jobIds: jobs.map(({ jobId }) => jobId), groupIds: [deviceGroupId, otherGroupId] };
}
