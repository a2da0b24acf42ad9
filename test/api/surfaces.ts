import { givenFlyingDevice, removeDevice } from '../channels/flying-device';
import { type Client, pathOf, send } from './client';
import { expire, fleetOf, foreignAt, givenJob, givenMission, givenShare } from './given';
import type { Scoped } from '../../contract/terms/scopes';
import { endpointTable, splitEndpointKey } from '../../contract/endpoint-table';
import { telemetryScopes } from '../../contract/telemetry/telemetry.actions';
import type { EndpointKey } from '../../contract/endpoints';
import { channelKinds, channels } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { TELEMETRY_PATH } from '../../contract/websocket-actions';
import { Mqtt, tryToConnect } from '../channels/mqtt-client';
import { pathOf as channelPath, shakeHands } from '../channels/socket';
import { requestExamples } from '../contract/documents/openapi-file';
import { expectDocumented } from './documents/documented';

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

/**
 * What a surface answers. A surface that can't tell a part leaves it out: a handshake has no body, and MQTT one refusal
 * for all.
 */
export interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly challenge?: string | null;
  readonly isRefused: boolean;
}

/** What a partner's client can ask for with a token. */
export interface Surface {
  readonly name: string;
  /** The scopes that a token needs. */
  readonly needs: Scoped;
  /** What the identifier in its address names. */
  readonly kind?: ResourceKind;
  /** Name of the field that a 403 names. */
  readonly field?: string;
  /** Grants the topic of what does not exist too, if it would be the organisation's: AWS IoT decides by the name. */
  readonly grantsUnknown?: true;
  /** @param token as it is sent; undefined: none */
  ask(client: Client, token: string | undefined, id: string): Promise<Answer>;
}

const isRefused = (status: number) => [401, 403, 404].includes(status);
const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });

const kinds: Readonly<Record<string, ResourceKind>> = {
  jobId: 'job',
  missionId: 'mission',
  shareCode: 'share',
  deviceId: 'device',
};
function kindNamedBy(parameter: string): ResourceKind {
  const kind = kinds[parameter];
  if (!kind) throw new Error(`Name the resource that ${parameter} is of, so that its refusals are asked too`);
  return kind;
}

/** Every endpoint that needs a token. */
const endpoints = (Object.keys(endpointTable) as EndpointKey[])
  .filter((key) => endpointTable[key].scope !== null)
  .map((key): Surface => {
    const { method, path } = splitEndpointKey(key);
    const [field] = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const { example, mediaType } = requestExamples.find((one) => one.method === method && one.path === path) ?? {};
    return {
      name: key,
      needs: endpointTable[key],
      ...(field !== undefined && { field, kind: kindNamedBy(field) }),
      async ask(_, token, id) {
        const parameters = { jobId: id, missionId: id, shareCode: id, deviceId: id };
        const answer = await send(method, pathOf(key, parameters), {
          headers: { ...bearer(token), ...(mediaType !== undefined && { 'content-type': mediaType }) },
          ...(example && { body: example.value }),
        });
        expectDocumented(key, answer);
        const { status, body, headers } = answer;
        return { status, body, challenge: headers.get('www-authenticate'), isRefused: isRefused(status) };
      },
    };
  });

/** A handshake, by how the token is sent. */
const handshake = (path: (id: string) => string) => ({
  'the header': async (token: string | undefined, id: string): Promise<Answer> => {
    const { status } = await shakeHands(path(id), bearer(token));
    return { status, isRefused: isRefused(status) };
  },
  'the query': async (token: string | undefined, id: string): Promise<Answer> => {
    const { status } = await shakeHands(path(id) + (token === undefined ? '' : `?token=${token}`));
    return { status, isRefused: isRefused(status) };
  },
});

const handshakes = [
  ...channelKinds.map((kind) => ({
    name: `WSS channel of a ${kind}`,
    needs: channels[kind],
    kind,
    ways: handshake((id) => channelPath({ kind, id })),
  })),
  { name: 'WSS telemetry', needs: { scope: telemetryScopes }, ways: handshake(() => TELEMETRY_PATH) },
].flatMap(({ ways, name, ...surface }) =>
  Object.entries(ways).map(([way, shake]): Surface => ({
    ...surface,
    name: `${name}, token in ${way}`,
    ask: (_, token, id) => shake(token, id),
  })),
);

const topics = channelKinds.map((kind): Surface => ({
  name: `MQTT topic of a ${kind}`,
  needs: channels[kind],
  kind,
  grantsUnknown: true,
  async ask(client, token, id) {
    const connected = await tryToConnect(client, { password: token ?? '' });
    if (!(connected instanceof Mqtt)) return { isRefused: true };
    const [granted = false] = await connected.subscribe(topicName({ kind, id }));
    return { isRefused: !granted };
  },
}));

/** All surfaces that the contract has. */
export const surfaces: readonly Surface[] = [...endpoints, ...handshakes, ...topics];
