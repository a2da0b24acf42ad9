import { ApiError, type Dispatch, type DroneMissionClient } from 'drone-mission-client';
import type { ProgressStream } from '../command-line/progress';
import { isOnGround } from '../../domain/telemetry/drone-state';
import { alarmNear, byDistance, type Place } from './alarm';
import { FollowedFlight } from './followed-flight';
import { Narrator, SEE_LOG } from './narrator';
import { demoPartner, runningStack } from './running-stack';

/** A drone in its dock. */
interface Drone {
  readonly deviceId: string;
  readonly name: string;
  readonly place: Place;
  /** Whether it is on the ground: only such a drone is dispatched. */
  readonly stands: boolean;
}

/** A group of drones. */
interface Group {
  readonly deviceGroupId: string;
  readonly name: string;
  /** Those that have reported where they are. */
  readonly drones: readonly Drone[];
  /** How many it has. */
  readonly size: number;
}

/** The partner's first group. @throws ApiError; Error when it has no group */
async function firstGroup({ rest }: DroneMissionClient): Promise<Group> {
  const { data } = await rest.GET('/v3/resources', { params: { query: { include: 'state' } } });
  const [group] = data?.resources ?? [];
  if (!group) throw new Error('the demo partner has no drones: stop the stack and remove .local to start afresh');
  const drones = group.devices.flatMap(({ deviceId, name, lastState }) => {
    const [longitude, latitude] = lastState?.navigation?.position?.coordinates ?? [];
    return longitude === undefined || latitude === undefined
      ? []
      : [{ deviceId, name, place: [longitude, latitude] as const, stands: isOnGround(lastState?.droneState) }];
  });
  return { deviceGroupId: group.deviceGroupId, name: group.name, drones, size: group.devices.length };
}

/** How many times faster than a real drone's the flight is, which takes about 100 seconds. */
const FAST = 7;
/** Metres above the dock, metres per second, and seconds at the alarm: long enough to be seen there. */
const FLIGHT = { height: 40, speed: 20, holdSeconds: 20 };
const NONE_FREE =
  'no drone is free: each was dispatched in the last minute, or is in the air; wait a minute and try again';

/** Options of the demo. */
interface DemoOptions {
  /** Whether the drone flies at its own pace. */
  readonly realTime: boolean;
  readonly output: ProgressStream;
}

/** Runs the demo against the stack on this machine, and prints each step. @throws Error when a step fails */
export async function runDemo({ realTime, output }: DemoOptions): Promise<void> {
  const narrator = new Narrator(output);
  const stack = runningStack();
  const { client, clientId } = demoPartner(stack);
  await client.accessToken();
  narrator.say('token', 'signed in with OAuth client credentials and an API key');
  const { name: groupName, deviceGroupId, drones } = await dronesOf(client, narrator);
  narrator.say('fleet', `${groupName} has ${drones.length} drones: ${drones.map(({ name }) => name).join(', ')}`);

  const speed = realTime ? 1 : FAST;
  const standing = drones.filter(({ stands }) => stands);
  if (standing.length === 0) throw new Error(NONE_FREE);
  const alarm = alarmNear(standing.map(({ place }) => place));
  narrator.say('alarm', `at ${alarm.join(', ')} (longitude, latitude): who is there first?`);
  const dispatch = await client.jobs
    .dispatch({
      name: 'Alarm at the fence',
      deviceGroupId,
      desiredLocation: { type: 'Point', coordinates: [...alarm] },
      flight: FLIGHT,
      metadata: { simulateSpeed: speed },
    })
    .catch((error: unknown) => {
      throw error instanceof ApiError && error.status === 409 ? new Error(NONE_FREE, { cause: error }) : error;
    });
  const { job, distance, etaSeconds } = dispatch;
  const drone = nearestFree(dispatch, standing, alarm);
  if (!drone || drone.deviceId !== job.deviceId) {
    await client.jobs.cancel(job.jobId);
    const [was, should] = [job.deviceId ?? 'no drone', drone?.name ?? 'none'];
    throw new Error(`the service dispatched ${was}, and ${should} is nearest: ${SEE_LOG}`);
  }
  narrator.say('dispatch', `${drone.name}, ${metres(distance)} away: arrives in about ${etaSeconds} s`);
  narrator.say('others', others(dispatch, drones));

  const { shareCode, shareUrl } = await client.shares.create({ resourceId: drone.deviceId, shareType: 'STREAM' });
  narrator.say('share', shareUrl);
  const flight = new FollowedFlight(narrator, { stack, client, clientId, jobId: job.jobId, shareCode, alarm });
  try {
    await Promise.all([flight.begin(), expectPage(shareUrl)]);
    await narrator.waitUntil('for the first messages', () => flight.hasBegun);
    narrator.say('viewer', `opened the link without a login: ${drone.name} is ${flight.metres} m from the alarm`);
    await narrator.waitUntil('for the drone to take off', () => flight.isIn('IN_PROGRESS'));
    await narrator.waitUntil(
      'for the drone to arrive',
      () => flight.arrival !== undefined,
      () => `${flight.metres} m to go`,
    );
    const took = (Date.parse(flight.arrival?.timestamp ?? '') - Date.parse(job.createdAt)) / 1000;
    const seconds = Math.round(took * speed);
    const clock = speed === 1 ? '' : ` of its time, which runs ${speed} times faster here`;
    narrator.say('arrival', `${drone.name} is there after ${seconds} s${clock}; the estimate was ${etaSeconds} s`);
    const command = (name: DemoCommand) => commandDrone(client, drone, name, flight, narrator);
    await command('PAUSE');
    await command('RETURN_HOME');
    // A job whose flight a command has ended is not completed.
    await narrator.waitUntil('for the end of the job', () => flight.isIn('FAILED'));
    narrator.say('landing', `${drone.name} is back in its dock; the viewer saw ${flight.sightings} positions`);
    await client.shares.revoke(shareCode);
    await narrator.waitUntil('for the link to end', () => flight.isLinkOver);
    narrator.say('revoke', 'the link has ended: the viewer is disconnected');
    output.write(`\nThe demo passed: ${drone.name} was nearest, was at the alarm, and is home again\n`);
  } finally {
    await flight.end();
  }
}

/** What the drone is told at the alarm, and what is achieved then. */
const achieved = { PAUSE: 'it stands', RETURN_HOME: 'it has landed' } as const;
type DemoCommand = keyof typeof achieved;

/** Commands the drone, and waits for the outcome. @throws Error when the command is not DONE */
async function commandDrone(
  client: DroneMissionClient,
  { deviceId, name: drone }: Drone,
  name: DemoCommand,
  flight: FollowedFlight,
  narrator: Narrator,
): Promise<void> {
  const sent = await client.devices.command(deviceId, { name });
  narrator.say('command', `${name}, to ${drone}: ${sent.command.status}`);
  let isOver = false;
  const [{ status, reason }] = await Promise.all([
    sent.outcome().finally(() => (isOver = true)),
    narrator.waitUntil(
      `for the outcome of ${name}`,
      () => isOver,
      () => `${flight.metres} m from the alarm`,
    ),
  ]);
  if (status !== 'DONE') throw new Error(`${name} ended as ${status}${reason ? `, ${reason}` : ''}: ${SEE_LOG}`);
  narrator.say('outcome', `${name}: ${status}, ${achieved[name]}`);
}

const metres = (distance: number) => `${Math.round(distance)} m`;

/** The drones of the partner's first group, as soon as each has reported where it is. */
async function dronesOf(client: DroneMissionClient, narrator: Narrator) {
  let group = await firstGroup(client);
  const allReport = async () => {
    if (group.drones.length < group.size) group = await firstGroup(client);
    return group.drones.length === group.size;
  };
  await narrator.waitUntil('for the drones to report', allReport);
  return group;
}

/** The drone that is to be dispatched: the nearest of those that stand, of which none is passed over. */
function nearestFree({ candidates }: Dispatch, standing: readonly Drone[], alarm: Place): Drone | undefined {
  const passedOver = candidates.flatMap(({ deviceId, reason }) => (reason ? [deviceId] : []));
  const free = standing.filter(({ deviceId }) => !passedOver.includes(deviceId));
  return byDistance(free, ({ place }) => place, alarm)[0];
}

/** The other drones of the group, with their distances and what keeps them. */
const others = ({ job, candidates }: Dispatch, drones: readonly Drone[]) =>
  candidates
    .filter(({ deviceId }) => deviceId !== job.deviceId)
    .flatMap(({ deviceId, distance, reason }) => {
      const name = drones.find((drone) => drone.deviceId === deviceId)?.name;
      return name === undefined ? [] : [`${name}, ${metres(distance)}${reason ? `, ${reason}` : ''}`];
    })
    .join('; ');

/** @throws Error when there is no page behind a link */
async function expectPage(url: string): Promise<void> {
  const { status, headers } = await fetch(url);
  if (status !== 200 || !headers.get('content-type')?.startsWith('text/html'))
    throw new Error(`the page behind the link answers ${status}: ${SEE_LOG}`);
}
