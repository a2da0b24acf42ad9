import { copyFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { endpoints } from '../../../contract/endpoints';
import { openApiFile, root } from '../artifacts';
import { goProgram, withAttempts } from '../install';
import { GenerationFailed, lineCount, step } from './step';
import { partnersShape } from '../../../bin/start/stack-facts';
import { startStack, stopStack } from '../../api/stack/running-stack';

const facts = z.object({ ...partnersShape.shape, baseUrl: z.string() });

/** How many times faster the simulated fleet flies. */
const FLEET_SPEED = '20';
const OBEYED = ['PAUSE DONE', 'RESUME DONE', 'RETURN_HOME DONE'].join('\n');

/**
 * Lets a program steer a drone of the simulated fleet: it gets the address and the credentials as the shells of the guides do.
 * @throws {GenerationFailed} with its output unless the drone has obeyed each command
 */
async function steerWith(program: string): Promise<void> {
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

const listed = join(__dirname, 'go');
const TOOL = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen';
/**
 * Lines of the generated client for twenty operations: 12,549 when each status of each had an error of its own; and for
 * each one more.
 */
const MAX_LINES_OF_TWENTY = 8500;
const MAX_LINES_OF_ANOTHER = 500;

/**
 * oapi-codegen: the types and a client, vetted with a partner's code that uses them, which then steers a drone of a
 * local stack.
 */
export async function goClient(folder: string): Promise<string> {
  const program = await goProgram('generators-go', listed, TOOL);
  for (const file of ['go.mod', 'go.sum', 'partner.go', 'partner_test.go'])
    copyFileSync(join(listed, file), join(folder, file));
  cpSync(join(listed, 'steer'), join(folder, 'steer'), { recursive: true });
  const options = ['-generate', 'types,client', '-package', 'partner', '-o', 'client.go'];
  await step(program, [...options, join(root, openApiFile)], { cwd: folder });
  expectUsable(readFileSync(join(folder, 'client.go'), 'utf8'));
  await withAttempts('downloading modules', () =>
    step('go', ['list', '-mod=readonly', '-deps', '-test', './...'], { cwd: folder }),
  );
  await step('go', ['vet', '-mod=readonly', './...'], { cwd: folder });
  await step('go', ['test', '-mod=readonly', '.'], { cwd: folder });
  const steer = join(folder, 'steer-drone');
  await step('go', ['build', '-mod=readonly', '-o', steer, './steer'], { cwd: folder });
  await steerWith(steer);
  const lines = lineCount(join(folder, 'client.go'));
  const most = MAX_LINES_OF_TWENTY + MAX_LINES_OF_ANOTHER * (Object.keys(endpoints).length - 20);
  if (lines > most) throw new GenerationFailed(`oapi-codegen wrote ${lines} lines, more than ${most}`);
  return `oapi-codegen wrote ${lines} lines, which pass go vet, read events, values and fields that they do not know, and steer a drone`;
}

/** @throws {GenerationFailed} for a number of 32 bits, which is 0.8 m off in a longitude of 140°, or a type without a name */
function expectUsable(code: string): void {
  const unnamed = code.match(/^type \w+_Item\b/gm) ?? [];
  if (unnamed.length > 0) throw new GenerationFailed(`the generated code has ${unnamed.join(', ')}`);
  const count = code.match(/\bfloat32\b/g)?.length ?? 0;
  if (count > 0) throw new GenerationFailed(`the generated code has ${count} times float32`);
}

const pinned = join(__dirname, 'ogen');

/**
 * What ogen leaves out, by its reason: it knows no union of schemas without a discriminator, which an unknown `type`
 * would break. So its clients have no `GET /v3/events`, and a track as text only.
 */
const LEFT_OUT = [
  "media: can't infer fields discriminator: [LineString, MultiPoint]",
  'media: complex anyOf not implemented',
  'operation: complex anyOf not implemented',
];

/** ogen: a client whose types check what they read. */
export async function ogenClient(folder: string): Promise<string> {
  const program = await goProgram('generators-ogen', pinned, 'github.com/ogen-go/ogen/cmd/ogen');
  for (const file of ['go.mod', 'go.sum', 'ogen.yml']) copyFileSync(join(pinned, file), join(folder, file));
  const options = ['--target', 'client', '--package', 'client', '--config', 'ogen.yml'];
  const { stdout, stderr } = await step(program, [...options, join(root, openApiFile)], { cwd: folder });
  const skipped = [...`${stdout}${stderr}`.matchAll(/Skipping (\w+)\t.*"reason_error": "([^"]+)"/g)];
  const leftOut = [...new Set(skipped.map(([, what = '', reason = '']) => `${what}: ${reason}`))].sort();
  if (leftOut.join() !== LEFT_OUT.join()) throw new GenerationFailed(`ogen leaves out ${leftOut.join('; ')}`);
  await withAttempts('downloading modules', () =>
    step('go', ['list', '-mod=readonly', '-deps', './client'], { cwd: folder }),
  );
  await step('go', ['vet', '-mod=readonly', './client'], { cwd: folder });
  expectUsable(readFileSync(join(folder, 'client/oas_schemas_gen.go'), 'utf8'));
  return 'ogen wrote code that passes go vet; it leaves out unions, so GET /v3/events and a track as GeoJSON';
}
