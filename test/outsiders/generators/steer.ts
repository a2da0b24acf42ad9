import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { partnersShape } from '../../../bin/start/stack-facts';
import { startStack, stopStack } from '../../api/stack/running-stack';
import { GenerationFailed, step } from './step';

const facts = z.object({ ...partnersShape.shape, baseUrl: z.string() });

/** How many times faster the simulated fleet flies. */
const FLEET_SPEED = '20';
const OBEYED = ['PAUSE DONE', 'RESUME DONE', 'RETURN_HOME DONE'].join('\n');

/**
 * Lets a program steer a drone of the simulated fleet: it gets the address and the credentials as the shells of the guides do.
 * @throws {GenerationFailed} with its output unless the drone has obeyed each command
 */
export async function steerWith(program: string): Promise<void> {
  const stack = await startStack(['--fleet-speed', FLEET_SPEED]);
  try {
    const { baseUrl, partners } = facts.parse(JSON.parse(readFileSync(join(stack.folder, 'stack.json'), 'utf8')));
    const pilot = partners.find(({ scopes }) => scopes.includes('command:control'));
    if (!pilot) throw new Error('no client of the stack may command');
    const { apiKey, clientId, clientSecret } = pilot;
    const env = { BASE_URL: baseUrl, API_KEY: apiKey, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
    const { stdout } = await step(program, [], { env });
    if (stdout.trim() !== OBEYED) throw new GenerationFailed(`the program printed ${stdout}`);
  } finally {
    await stopStack(stack);
  }
}
