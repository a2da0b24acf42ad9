import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../../contract/endpoint';
import { partnersShape, type Partner } from '../../bin/start/stack-facts';
import { runPartnerCommand } from '../api/stack/aws-access';

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

/** Onboards the organisations through the partner command. */
export async function onboardOrganisations(): Promise<Organisation[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drone-mission-model-'));
  const file = join(folder, 'onboarding.json');
  const organisations = names.map((name) => ({
    name,
    deviceGroups,
    clients: clientScopes.map((scopes, index) => ({ name: `${name}-${index + 1}`, scopes })),
  }));
  writeFileSync(file, JSON.stringify({ organisations }));
  const { partners } = partnersShape.parse(JSON.parse(await runPartnerCommand('onboard', '--file', file)));
  rmSync(folder, { recursive: true });
  return names.map((name, index) => {
    const own = partners.slice(index * clientScopes.length, (index + 1) * clientScopes.length);
    const groups = own[0]?.deviceGroups ?? [];
    const devices = groups.flatMap((group) => group.devices.map(({ deviceId }) => deviceId));
    const tag = own[0]?.organisationId.replace(/^org-/, '') ?? '';
    return { name, tag, partners: own, groups, devices: devices.slice(0, -1), platformDevice: devices.at(-1) ?? '' };
  });
}
