import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../../contract/endpoint';
import { partnersShape, type Partner } from '../../local/stack-file';
import { runPartnerCommand } from '../api/stack/aws-access';

const names = ['alder', 'birch', 'cedar'] as const;

const all: readonly Scope[] = [
  ...(['command:create', 'command:read', 'command:update'] as const),
  ...(['stream:share', 'stream:publish', 'share:read', 'share:manage', 'resources:read'] as const),
];
const reading: readonly Scope[] = ['command:read', 'share:read', 'resources:read'];
const writing = all.filter((scope) => !reading.includes(scope));

/** What the clients of each organisation may do. */
const clients = [all, all, all, reading, writing];

/** The last device of each organisation is the one that the platform's bus reports on. */
const deviceGroups = [
  { name: 'North', devices: [{ name: 'North 1', stream: true }, { name: 'North 2' }] },
  { name: 'South', devices: [{ name: 'South 1' }] },
].map((group) => ({ description: '', ...group }));

/** An organisation with clients of several scopes, and its fleet. */
export interface Organisation {
  readonly name: string;
  /** The part that all its identifiers have. */
  readonly tag: string;
  readonly partners: readonly Partner[];
  readonly groups: Partner['deviceGroups'];
  /** Devices that publish over sockets. */
  readonly devices: readonly string[];
  /** The device that the platform's bus reports on. */
  readonly reported: string;
}

export const CLIENTS = clients.length;
export const ORGANISATIONS = names.length;

/** Onboards the organisations as an operator would. */
export async function onboard(): Promise<Organisation[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drone-mission-model-'));
  const file = join(folder, 'onboarding.json');
  const organisations = names.map((name) => ({
    name,
    deviceGroups,
    clients: clients.map((scopes, index) => ({ name: `${name}-${index + 1}`, scopes })),
  }));
  writeFileSync(file, JSON.stringify({ organisations }));
  const { partners } = partnersShape.parse(JSON.parse(await runPartnerCommand('onboard', '--file', file)));
  rmSync(folder, { recursive: true });
  return names.map((name, index) => {
    const own = partners.slice(index * clients.length, (index + 1) * clients.length);
    const groups = own[0]?.deviceGroups ?? [];
    const devices = groups.flatMap((group) => group.devices.map(({ deviceId }) => deviceId));
    const tag = own[0]?.organisationId.replace(/^org-/, '') ?? '';
    return { name, tag, partners: own, groups, devices: devices.slice(0, -1), reported: devices.at(-1) ?? '' };
  });
}
