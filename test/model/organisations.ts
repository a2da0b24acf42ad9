import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../../contract/terms/scopes';
import { partnersShape, type Partner } from '../../bin/start/stack-facts';
import type { Dispatch } from './claim-violations';
import { runPartnerCommand } from '../api/stack/aws-access';
import { givenFlyingDevice, givenFreeDevices } from '../channels/flying-device';
import { newAir, type Air } from './air';

const names = ['alder', 'birch', 'cedar'] as const;

const allScopes: readonly Scope[] = [
  ...(['command:create', 'command:read', 'command:update'] as const),
  ...(['stream:share', 'stream:publish', 'share:read', 'share:manage', 'resources:read'] as const),
];
const readScopes: readonly Scope[] = ['command:read', 'share:read', 'resources:read'];
const writeScopes = allScopes.filter((scope) => !readScopes.includes(scope));

/** Scopes of the clients of each organisation. */
const clientScopes = [allScopes, allScopes, allScopes, readScopes, writeScopes];

/** The platform's bus reports for the last device of each organisation. */
const deviceGroups = [
  { name: 'North', devices: [{ name: 'North 1', stream: true }, { name: 'North 2' }] },
  { name: 'South', devices: [{ name: 'South 1' }] },
].map((group) => ({ description: '', ...group }));

/** An organisation with clients of different scopes, and its fleet. */
export interface Organisation {
  readonly name: string;
  /** The tag in all its identifiers. */
  readonly tag: string;
  readonly partners: readonly Partner[];
  readonly groups: Partner['deviceGroups'];
  /** Devices that publish over sockets. */
  readonly devices: readonly string[];
  /** The device that the platform's bus reports for. */
  readonly platformDevice: string;
}

export const CLIENTS_PER_ORGANISATION = clientScopes.length;
export const ORGANISATIONS = names.length;

/** Devices that stand beside each other, and are dispatched. */
const STANDING_DEVICES = 6;

/** Longer than any run, in ms. */
const LONGEST_RUN_MS = 24 * 60 * 60_000;

/** The docks, an organisation of its own, since jobs that nobody queues end by themselves; and what has happened there. */
export interface Docks {
  readonly organisation: Organisation;
  readonly deviceIds: readonly string[];
  readonly dispatches: Dispatch[];
  /** The jobs of those that took a device. */
  readonly jobs: { readonly jobId: string; readonly dispatch: Dispatch }[];
}

/** Onboards the docks, with two clients. */
export async function onboardDocks(): Promise<Docks> {
  const [organisation] = await onboard(['docks'], [allScopes, allScopes]);
  const deviceGroupId = organisation?.groups[0]?.deviceGroupId;
  if (!organisation || deviceGroupId === undefined) throw new Error('the docks were not onboarded');
  // They report nothing more, and must not fall silent.
  const measuredAt = new Date(Date.now() + LONGEST_RUN_MS);
  const deviceIds = await givenFreeDevices(deviceGroupId, STANDING_DEVICES, undefined, measuredAt);
  return { organisation, deviceIds, dispatches: [], jobs: [] };
}

/** Devices that are commanded: few, so that commands contend. */
const FLYING_DEVICES = 3;

/** Onboards the organisation whose devices are in flight, with two clients. */
export async function onboardAir(): Promise<Air> {
  const scopes = [...allScopes, 'command:control' as const];
  const [organisation] = await onboard(['air'], [scopes, scopes]);
  const deviceGroupId = organisation?.groups[0]?.deviceGroupId;
  if (!organisation || deviceGroupId === undefined) throw new Error('the air was not onboarded');
  const flying = Array.from({ length: FLYING_DEVICES }, () => givenFlyingDevice(deviceGroupId));
  return newAir(organisation, await Promise.all(flying));
}

/** Onboards the organisations of all other operations. */
export const onboardOrganisations = (): Promise<Organisation[]> => onboard(names, clientScopes);

/** Onboards organisations through the partner command. */
async function onboard(
  named: readonly string[],
  scopesOfClients: readonly (readonly Scope[])[],
): Promise<Organisation[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drone-mission-model-'));
  const file = join(folder, 'onboarding.json');
  const organisations = named.map((name) => ({
    name,
    deviceGroups,
    clients: scopesOfClients.map((scopes, index) => ({ name: `${name}-${index + 1}`, scopes })),
  }));
  writeFileSync(file, JSON.stringify({ organisations }));
  const { partners } = partnersShape.parse(JSON.parse(await runPartnerCommand('onboard', '--file', file)));
  rmSync(folder, { recursive: true });
  return named.map((name, index) => {
    const own = partners.slice(index * scopesOfClients.length, (index + 1) * scopesOfClients.length);
    const groups = own[0]?.deviceGroups ?? [];
    const devices = groups.flatMap((group) => group.devices.map(({ deviceId }) => deviceId));
    const tag = own[0]?.organisationId.replace(/^org-/, '') ?? '';
    return { name, tag, partners: own, groups, devices: devices.slice(0, -1), platformDevice: devices.at(-1) ?? '' };
  });
}
