import { givenFlyingDevice, removeDevice } from '../../channels/flying-device';
import type { Client } from '../client';
import { expire } from '../expire';
import { fleetOf, foreignAt, givenJob, givenMission, givenShare } from '../given';

/** Something that an identifier names: how a client has one, what it is now, and how it ends. */
interface Resource {
  readonly error: string;
  given(client: Client): Promise<string>;
  now?(client: Client, id: string): Promise<{ readonly status: number; readonly body: unknown }>;
  end?(client: Client, id: string): Promise<unknown>;
  /** The refusal of what is not there to another organisation; default: as to its own. */
  readonly toOthers?: { readonly status: number; readonly body: unknown };
}

const resources = {
  job: {
    error: 'Job not found',
    given: async (client) => (await givenJob(client)).jobId,
    now: (client, jobId) => client.call('GET /v3/jobs/{jobId}', { path: { jobId } }),
    end: (client, jobId) => client.call('DELETE /v3/jobs/{jobId}', { path: { jobId } }),
  },
  mission: {
    error: 'Mission not found',
    given: async (client) => (await givenMission(client)).missionId,
    now: (client, missionId) => client.call('GET /v3/missions/{missionId}', { path: { missionId } }),
    end: (client, missionId) => client.call('DELETE /v3/missions/{missionId}', { path: { missionId } }),
  },
  share: {
    error: 'Share not found',
    given: async (client) => (await givenShare(client)).shareCode,
    now: (client, shareCode) => client.call('GET /v3/shares/{shareCode}', { path: { shareCode } }),
    end: (_, shareCode) => expire(shareCode),
  },
  device: {
    error: 'Resource not found',
    given: (client) => givenFlyingDevice(fleetOf(client).deviceGroupId),
    // What others could change.
    now: (client, deviceId) => client.call('GET /v3/devices/{deviceId}/commands', { path: { deviceId } }),
    end: (_, deviceId) => removeDevice(deviceId),
    // Its commands outlive it, so the identifier alone tells whose it is.
    toOthers: { status: 403, body: foreignAt('deviceId') },
  },
  group: {
    error: 'Device group not found',
    given: (client) => Promise.resolve(fleetOf(client).deviceGroupId),
  },
} satisfies Readonly<Record<string, Resource>>;

export type ResourceKind = keyof typeof resources;

export const resourceOf = (kind: ResourceKind): Resource => resources[kind];
