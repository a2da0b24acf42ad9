import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DroneMissionClient } from 'drone-mission-client';
import { scopes } from '../../../contract/terms/scopes';
import { partnersShape, type Partner } from '../../../bin/start/stack-facts';
import { initialEnvironment } from './local-stack';

const run = promisify(execFile);
const root = join(__dirname, '../../..');

/** A client of the organisation, with a token. */
export interface ChannelClient {
  readonly clientId: string;
  readonly token: string;
  readonly deviceGroupId: string;
  /** The first device of that group. */
  readonly deviceId: string;
  /** The devices of the group. */
  readonly deviceIds: readonly string[];
  /** All groups of the organisation. */
  readonly deviceGroups: Partner['deviceGroups'];
  /** Calls the API, once each. */
  readonly api: DroneMissionClient;
}

/**
 * Onboards an organisation with clients, device groups and devices per group at a running stack. Rate limits apply per
 * client.
 */
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
  const env = { ...initialEnvironment, LOCAL_DIR: dataFolder };
  try {
    const { stdout } = await run(process.execPath, words, { cwd: root, env, maxBuffer: 16e6 });
    const { partners } = partnersShape.parse(JSON.parse(stdout));
    return await Promise.all(partners.map((partner) => connectClient(baseUrl, partner)));
  } finally {
    await rm(file);
  }
}

/** A client with a token. */
export async function connectClient(baseUrl: string, partner: Partner): Promise<ChannelClient> {
  const { clientId, clientSecret, apiKey, deviceGroups } = partner;
  // A repeat would hide a failure.
  const api = new DroneMissionClient({ baseUrl, clientId, clientSecret, apiKey, maxRetries: 0 });
  return {
    clientId,
    token: await api.accessToken(),
    deviceGroupId: deviceGroups[0]?.deviceGroupId ?? '',
    deviceId: deviceGroups[0]?.devices[0]?.deviceId ?? '',
    deviceIds: deviceGroups[0]?.devices.map(({ deviceId }) => deviceId) ?? [],
    deviceGroups,
    api,
  };
}
