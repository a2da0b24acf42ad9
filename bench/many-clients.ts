import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { routeOf, scopes } from '../contract/access';
import type { EndpointKey } from '../contract/endpoints';
import { partnersShape, type Partner } from '../local/stack-file';

const run = promisify(execFile);
const root = join(__dirname, '..');

/** A client of the organisation, with a token. */
export interface ChannelClient {
  readonly clientId: string;
  readonly token: string;
  readonly deviceGroupId: string;
  /** The one device of that group. */
  readonly deviceId: string;
  /** The devices of the group. */
  readonly deviceIds: readonly string[];
  /** All groups of the organisation. */
  readonly deviceGroups: Partner['deviceGroups'];
  /** Calls an endpoint. @throws Error unless it succeeds */
  call(key: EndpointKey, path?: Readonly<Record<string, string>>, body?: unknown): Promise<unknown>;
}

/** Onboards an organisation with so many clients, and so many groups of so many devices, at a running stack: each client has limits of its own. */
export async function onboardClients(
  dataFolder: string,
  baseUrl: string,
  count: number,
  deviceCount = 1,
  groupCount = 1,
): Promise<ChannelClient[]> {
  const file = join(dataFolder, 'many-clients.json');
  const clients = Array.from({ length: count }, (_, index) => ({ name: `client-${index + 1}`, scopes }));
  const devices = Array.from({ length: deviceCount }, (_, index) => ({ name: `North ${index + 1}` }));
  const group = { name: 'North', description: 'Docks in the north', devices };
  const deviceGroups = Array.from({ length: groupCount }, () => group);
  await writeFile(file, JSON.stringify({ organisations: [{ name: 'Many clients', deviceGroups, clients }] }));
  const words = ['--import', 'tsx', 'bin/partner.ts', 'onboard', '--file', file, '--json', '--local'];
  const env = { ...process.env, LOCAL_DIR: dataFolder };
  const { stdout } = await run(process.execPath, words, { cwd: root, env, maxBuffer: 16e6 });
  const { partners } = partnersShape.parse(JSON.parse(stdout));
  return Promise.all(partners.map((partner) => withToken(baseUrl, partner)));
}

async function withToken(baseUrl: string, partner: Partner): Promise<ChannelClient> {
  const { clientId, clientSecret, apiKey, deviceGroups } = partner;
  const send = async (key: EndpointKey, headers: Record<string, string>, path = {}, body?: unknown) => {
    const { method, path: pattern } = routeOf(key);
    const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => (path as Record<string, string>)[name] ?? '');
    const response = await fetch(baseUrl + filled, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${key} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const issued = await send('POST /v3/auth/token', { 'x-api-key': apiKey }, {}, grant);
  const { access_token: token } = issued as { access_token: string };
  return {
    clientId,
    token,
    deviceGroupId: deviceGroups[0]?.deviceGroupId ?? '',
    deviceId: deviceGroups[0]?.devices[0]?.deviceId ?? '',
    deviceIds: deviceGroups[0]?.devices.map(({ deviceId }) => deviceId) ?? [],
    deviceGroups,
    call: (key, path, body) => send(key, { authorization: `Bearer ${token}` }, path, body),
  };
}
