import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { inboundEvents } from '../../domain/platform/inbound-events';
import type { OpenItems } from '../../packages/simulator/open-items';
import { publishTelemetry, tick } from '../../packages/simulator/tick';
import { dynamodb, publishedDetails } from './fixtures/aws';
import { placeAt } from './fixtures/commanded';

const [deviceId, deviceGroupId] = ['device-1', 'group-1'];
const devices = [{ kind: 'device' as const, deviceId, deviceGroupId }];
const fleet = { seed: 'sandbox', speed: 1, devices, idleReports: true };
const TAKEN_AT = Date.parse('2026-11-27T10:30:00.000Z');
/** So many seconds into the mission. */
const at = (s: number) => new Date(TAKEN_AT + s * 1000);

type Mission = OpenItems['missions'][number];
const mission: Mission = {
  jobId: 'job-1',
  deviceGroupId,
  deviceId,
  priority: 5,
  plan: { laps: 10, speed: 1 },
  state: 'flying',
  takenAt: at(0).toISOString(),
  reported: 2,
  commands: [],
  answered: 0,
};

const command = (sequence: number, name: string, fields: object = {}): OpenItems['commands'][number] => ({
  requestId: `command-${sequence}`,
  deviceId,
  command: { name },
  sequence,
  startBefore: at(100).toISOString(),
  ...fields,
});

/** The simulated table, as far as ticks change it. */
let missions: Mission[];
let latest: { sequence: number; requestId: string } | undefined;
/** Ids of the items that have ended. */
let ended: string[];

const refuse = () => {
  throw new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
};

/** What an update does. */
function update({ Key, ExpressionAttributeValues, UpdateExpression = '' }: UpdateCommandInput) {
  const values: Record<string, unknown> = ExpressionAttributeValues ?? {};
  const [jobId, sequence, requestId] = [
    String(Key?.['jobId']),
    Number(values[':sequence']),
    String(values[':requestId']),
  ];
  if (jobId === `latest-command-of-${deviceId}`) {
    if (latest && latest.sequence >= sequence && latest.requestId !== requestId) refuse();
    latest = { sequence, requestId };
  } else if (values[':over']) ended.push(jobId);
  else {
    const [name = ''] = UpdateExpression.replace('SET ', '').split(' ');
    const value: unknown = values[`:${name}`];
    missions = missions.map((one) =>
      name === 'commands'
        ? { ...one, commands: [...one.commands, ...(values[':commands'] as Mission['commands'])] }
        : { ...one, [name]: value },
    );
  }
  return {};
}

beforeEach(() => {
  [missions, latest, ended] = [[mission], undefined, []];
  dynamodb.on(UpdateCommand).callsFake(update);
});

/** Ticks at a second of the mission. */
const tickAt = (s: number, commands: OpenItems['commands'] = [], endedShares: OpenItems['endedShares'] = []) =>
  tick({ missions, commands, endedShares }, fleet, at(s));

const outcomes = () =>
  publishedDetails('control.outcome.reported').map((detail) => {
    const { requestId, outcome, reason } = inboundEvents['control.outcome.reported'].parse(detail);
    return [requestId, outcome, ...(reason ? [reason] : [])].join(' ');
  });

test('a command is taken at the next tick, and its outcome is told when it is achieved', async () => {
  await tickAt(60, [command(1, 'PAUSE')]);
  expect(outcomes()).toEqual(['command-1 DELIVERED']);
  expect(ended).toEqual(['command-1']);
  for (let s = 61; s < 80; s += 1) await tickAt(s);
  expect(outcomes()).toEqual(['command-1 DELIVERED', 'command-1 DONE']);
  expect(publishedDetails('control.outcome.reported')[0]).toMatchObject({ deviceId, at: at(60).toISOString() });
});

test('a command that was stored and not ended, since a function was killed, is taken once', async () => {
  await tickAt(60, [command(1, 'TAKE_PHOTO')]);
  await tickAt(61, [command(1, 'TAKE_PHOTO')]);
  expect(missions[0]?.commands).toHaveLength(1);
  expect(outcomes()).toEqual(['command-1 DONE']);
  // And one of which only the place was taken is not out of order.
  [missions, ended] = [[mission], []];
  await tickAt(61, [command(1, 'PAUSE')]);
  expect(missions[0]?.commands).toMatchObject([{ requestId: 'command-1', order: { name: 'PAUSE' } }]);
  expect(missions[0]?.commands[0]?.refused).toBeUndefined();
});

test('commands of one tick are taken in the order of their sequences', async () => {
  await tickAt(60, [command(2, 'RESUME'), command(1, 'PAUSE')]);
  expect(outcomes()).toEqual(['command-1 DELIVERED', 'command-1 SUPERSEDED', 'command-2 DELIVERED']);
});

test.each<[string, OpenItems['commands'][number], string]>([
  ['that the drone does not know', command(1, 'DANCE'), 'NOT_SUPPORTED'],
  ['of a platform of its own', command(1, 'x-drop'), 'NOT_SUPPORTED'],
  ['without the place that it needs', command(1, 'GO_TO'), 'NOT_SUPPORTED'],
  ['that comes too late', command(1, 'PAUSE', { startBefore: at(60).toISOString() }), 'TOO_LATE'],
  ['of a share that has ended', command(1, 'PAUSE', { shareId: 'share-1' }), 'SHARE_ENDED'],
])('a command %s is refused, in flight and in the dock', async (_, one, reason) => {
  const share = { state: 'ended' as const, shareId: 'share-1', ttl: 0 };
  await tickAt(60, [one], [share]);
  missions = [];
  await tickAt(60, [one], [share]);
  expect(outcomes()).toEqual([`command-1 REFUSED ${reason}`, `command-1 REFUSED ${reason}`]);
});

test.each([
  ['another job', 'job-of-before', 'REFUSED OUT_OF_ORDER'],
  ['this job', undefined, 'DELIVERED'],
])('a return that the service sends for %s', async (_, job, expected) => {
  const recalledFrom = job ?? missions[0]?.jobId;
  await tickAt(60, [command(1, 'RETURN_HOME', { recalledFrom })]);
  expect(outcomes()).toEqual([`command-1 ${expected}`]);
});

test('a command is refused after a later one was taken, in flight and in the dock', async () => {
  await tickAt(60, [command(3, 'PAUSE')]);
  await tickAt(61, [command(2, 'RETURN_HOME')]);
  expect(outcomes()).toEqual(['command-3 DELIVERED', 'command-2 REFUSED OUT_OF_ORDER']);
  missions = [];
  await tickAt(62, [command(1, 'RETURN_HOME')]);
  expect(outcomes().at(-1)).toBe('command-1 REFUSED OUT_OF_ORDER');
});

test.each([
  ['RETURN_HOME', 'DONE'],
  ['LAND', 'DONE'],
  ['PAUSE', 'REFUSED NOT_ALLOWED'],
])('a drone in its dock answers %s with %s', async (name, outcome) => {
  missions = [];
  await tickAt(60, [command(1, name)]);
  expect(outcomes()).toEqual([`command-1 ${outcome}`]);
  expect(ended).toEqual(['command-1']);
});

test('a drone whose link is lost stays silent', async () => {
  missions = [{ ...mission, plan: { ...mission.plan, failure: 'link-loss' } }];
  await tickAt(35, [command(1, 'RETURN_HOME')]);
  expect([outcomes(), ended]).toEqual([[], ['command-1']]);
});

test('a job that ends by a command is reported when the drone has docked, with the id of the command', async () => {
  const position = placeAt(0, 0);
  await tickAt(60, [command(1, 'LOOK_AT', { command: { name: 'LOOK_AT', position } }), command(2, 'RETURN_HOME')]);
  await tickAt(140);
  expect(publishedDetails('job.status.reported')).toMatchObject([
    { jobId: 'job-1', status: 'FAILED', reason: 'ABORTED_BY_COMMAND', commandId: 'command-2' },
  ]);
  expect(outcomes()).toEqual(['command-1 DONE', 'command-2 DELIVERED', 'command-2 DONE']);
  expect(ended).toEqual(['command-1', 'command-2', 'job-1']);
});

test('a drone whose job was deleted comes home, without a word about the job', async () => {
  missions = [{ ...mission, recalledAt: at(59.5).toISOString() }];
  const flights = await tickAt(60);
  expect(missions[0]?.commands).toEqual([{ at: 60, order: { name: 'RETURN_HOME' } }]);
  await publishTelemetry(devices, flights, fleet, at(80));
  const [{ telemetry } = { telemetry: [] }] = publishedDetails<{ telemetry: object[] }>('device.telemetry.reported');
  expect(telemetry).toEqual([expect.objectContaining({ droneState: 'RETURNING' })]);
  expect(telemetry[0]).not.toHaveProperty('jobId');
  await tickAt(61);
  expect(missions[0]?.commands).toHaveLength(1);
  expect(ended).toEqual([]);
  await tickAt(150);
  expect(ended).toEqual(['job-1']);
  expect(publishedDetails('job.status.reported')).toEqual([]);
  expect(outcomes()).toEqual([]);
});

describe('metadata.simulateCommands', () => {
  const asked = (commands: 'silent' | 'late' | 'twice') => {
    missions = [{ ...mission, plan: { ...mission.plan, commands } }];
  };

  test('silent: a drone obeys and tells nothing', async () => {
    asked('silent');
    await tickAt(60, [command(1, 'RETURN_HOME')]);
    await tickAt(150);
    expect([outcomes(), ended]).toEqual([[], ['command-1', 'job-1']]);
  });

  test('late: a drone answers 40 seconds later, also after its flight', async () => {
    asked('late');
    await tickAt(60, [command(1, 'TAKE_PHOTO'), command(2, 'RETURN_HOME')]);
    await tickAt(99);
    expect(outcomes()).toEqual([]);
    await tickAt(100);
    expect(outcomes()).toEqual(['command-1 DONE', 'command-2 DELIVERED']);
    await tickAt(120);
    expect(ended).not.toContain('job-1');
    await tickAt(170);
    expect(outcomes().at(-1)).toBe('command-2 DONE');
    expect(ended).toContain('job-1');
  });

  test('twice: a drone answers twice, by two events', async () => {
    asked('twice');
    await tickAt(60, [command(1, 'TAKE_PHOTO')]);
    expect(outcomes()).toEqual(['command-1 DONE', 'command-1 DONE']);
  });
});
