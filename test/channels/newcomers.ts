import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partnersShape } from '../../bin/start/stack-facts';
import { Client } from '../api/client';
import { runPartnerCommand } from '../api/stack/aws-access';

/**
 * Onboards clients of a new organisation with a fleet like the others, for a test that leaves none as it was.
 * @param names of the clients, which have all scopes
 */
export async function newcomers(organisation: string, names: readonly [string, ...string[]]): Promise<Client[]> {
  const folder = mkdtempSync(join(tmpdir(), 'newcomers-'));
  try {
    const plan = join(folder, 'plan.json');
    const deviceGroups = ['North', 'South'].map((name) => ({ name, devices: [{ name }] }));
    const clients = names.map((name) => ({ name, scopes: 'all' }));
    writeFileSync(plan, JSON.stringify({ organisations: [{ name: organisation, deviceGroups, clients }] }));
    const printed = JSON.parse(await runPartnerCommand('onboard', '--file', plan)) as unknown;
    return partnersShape.parse(printed).partners.map((credentials) => new Client(credentials));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
