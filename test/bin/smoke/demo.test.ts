import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { partnersShape } from '../../../bin/start/stack-facts';
import { startStack, stopStack, type RunningStack } from '../../api/stack/running-stack';
import { until } from '../../channels/until';

const root = join(__dirname, '../../..');

/** Mostly for starting the stack. */
jest.setTimeout(240_000);

/** Its fleet is not so fast that a pause of the machine is longer than the drone stays at the alarm. */
let stack: RunningStack;
/** A GET of the demo partner. */
let read: <Answer>(path: string, shape: z.ZodType<Answer>) => Promise<Answer>;

const point = z.object({ coordinates: z.array(z.number()) });
const resources = z.object({
  resources: z.array(
    z.object({
      deviceGroupId: z.string(),
      devices: z.array(
        z.object({
          deviceId: z.string(),
          name: z.string(),
          lastState: z.object({ navigation: z.object({ position: point }) }).optional(),
        }),
      ),
    }),
  ),
});
const jobs = z.object({ jobs: z.array(z.object({ jobId: z.string(), name: z.string() })) });
const job = z.object({
  job: z.object({ status: z.string(), reason: z.string(), deviceId: z.string(), desiredLocation: point }),
});
const commands = z.object({ commands: z.array(z.object({ name: z.string(), status: z.string() })) });
const track = z.object({
  features: z.array(z.object({ geometry: z.object({ coordinates: z.array(z.array(z.number())) }) })),
});

/** Metres between two places that are near each other; not by the service's own formula. */
function metresBetween([x0 = NaN, y0 = NaN]: readonly number[], [x1 = NaN, y1 = NaN]: readonly number[]): number {
  return 111_320 * Math.hypot((x1 - x0) * Math.cos((y0 * Math.PI) / 180), y1 - y0);
}

/** The docks of the group that the demo flies with, when all of its drones have reported. */
async function docksOf(deviceGroupId: string | undefined) {
  const docks = (await read('/v3/resources?include=state', resources)).resources
    .filter((group) => group.deviceGroupId === deviceGroupId)
    .flatMap(({ devices }) => devices)
    .flatMap(({ deviceId, name, lastState }) =>
      lastState ? [{ deviceId, name, place: lastState.navigation.position.coordinates }] : [],
    );
  return docks.length === 3 ? docks : undefined;
}

beforeAll(async () => {
  stack = await startStack(['--fleet-speed', '2']);
});

afterAll(async () => {
  await stopStack(stack);
  rmSync(stack.folder, { recursive: true });
});

test('npm run demo sends the nearest drone to the alarm and home again, and the recording in README shows its steps', async () => {
  const { baseUrl, partners } = partnersShape
    .extend({ baseUrl: z.string() })
    .parse(JSON.parse(readFileSync(join(stack.folder, 'stack.json'), 'utf8')));
  const [partner] = partners;
  const signedIn = await fetch(`${baseUrl}/v3/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': partner?.apiKey ?? '' },
    body: JSON.stringify({
      grant_type: 'client_credentials',
      client_id: partner?.clientId,
      client_secret: partner?.clientSecret,
    }),
  });
  const { access_token: token } = z.object({ access_token: z.string() }).parse(await signedIn.json());
  read = async (path, shape) => {
    const response = await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return shape.parse(await response.json());
  };
  const docks = await until('three drones that report', () => docksOf(partner?.deviceGroups[0]?.deviceGroupId));

  const args = ['--conditions=drone-mission-source', '--require', 'tsx/cjs', 'bin/demo.ts', '--real-time'];
  const env = { ...process.env, LOCAL_DIR: stack.folder };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });

  const alarmed = (await read('/v3/jobs', jobs)).jobs.filter(({ name }) => name === 'Alarm at the fence');
  expect(alarmed).toHaveLength(1);
  const path = `/v3/jobs/${alarmed[0]?.jobId ?? ''}`;
  const { status, reason, deviceId, desiredLocation } = (await read(path, job)).job;
  expect([status, reason]).toEqual(['FAILED', 'ABORTED_BY_COMMAND']);
  expect((await read(`${path}/commands`, commands)).commands).toEqual([
    { name: 'RETURN_HOME', status: 'DONE' },
    { name: 'PAUSE', status: 'DONE' },
  ]);
  const alarm = desiredLocation.coordinates;
  const [nearest] = docks.toSorted((one, other) => metresBetween(one.place, alarm) - metresBetween(other.place, alarm));
  expect(deviceId).toBe(nearest?.deviceId);
  const flown = (await read(`${path}/track`, track)).features.flatMap(({ geometry }) => geometry.coordinates);
  expect(Math.min(...flown.map((place) => metresBetween(place, alarm)))).toBeLessThan(25);
  expect(metresBetween(flown.at(-1) ?? [], nearest?.place ?? [])).toBeLessThan(25);

  const name = nearest?.name ?? '';
  expect(stdout).toMatch(new RegExp(` s  arrival +${name} is there after \\d+ s; the estimate was \\d+ s$`, 'm'));
  for (const [command, what] of [
    ['PAUSE', 'it stands'],
    ['RETURN_HOME', 'it has landed'],
  ])
    expect(stdout).toMatch(new RegExp(` s  outcome +${command}: DONE, ${what}$`, 'm'));
  expect(stdout).toMatch(new RegExp(`^The demo passed: ${name} was nearest, .* and is home again$`, 'm'));
  const [link = ''] = /http\S+\/share\/share-\S+/.exec(stdout) ?? [];
  const shared = await read(`/v3/shares/${link.split('/').at(-1) ?? ''}`, z.object({ error: z.string() }));
  expect(shared).toEqual({ error: 'Share not found' });

  const stepsOf = (text: string) => [...new Set([...text.matchAll(/ s  (\S+) /g)].map(([, step]) => step))];
  const recording = readFileSync(join(root, 'docs/images/demo.svg'), 'utf8');
  expect(stepsOf(recording).toSorted()).toEqual(stepsOf(stdout).toSorted());
});
