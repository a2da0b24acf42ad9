import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { dockPositionOf } from '../../packages/simulator/dock';
import type { Flying } from '../../packages/simulator/fleet';
import { publishable } from '../../packages/simulator/reports';
import { deviceFor, tick } from '../../packages/simulator/tick';
import { id } from '../domain/fixtures/samples';
import { dynamodb, publishedDetails } from './fixtures/aws';

const SEED = 'sandbox';
const deviceIds = ['device-a', 'device-b', 'device-c'];
const free = ['group-1', 'group-2'].flatMap((deviceGroupId) =>
  deviceIds.map((deviceId) => ({ kind: 'device' as const, deviceId: `${deviceGroupId}-${deviceId}`, deviceGroupId })),
);

/** A plan for a place beside the dock of a device: 10 m north of it, and at most 300 m from those of its group. */
function planBeside(deviceId: string, deviceGroupId = 'group-1') {
  const { longitude, latitude } = dockPositionOf(SEED, deviceGroupId, deviceId);
  const coordinates: [number, number] = [longitude, latitude + 0.0001];
  return { laps: 1, speed: 1, place: { location: { type: 'Point' as const, coordinates }, action: 'HOVER' } };
}
const usualRound = { laps: 1, speed: 1 };

describe('deviceFor', () => {
  test.each(deviceIds.map((name) => `group-1-${name}`))('takes the nearest free device of the group: %s', (nearest) => {
    const mission = { deviceGroupId: 'group-1', plan: planBeside(nearest) };
    expect(deviceFor(mission, free, SEED)?.deviceId).toBe(nearest);
    expect(deviceFor(mission, free.toReversed(), SEED)?.deviceId).toBe(nearest);
  });

  test.each(deviceIds.map((name) => `group-1-${name}`))('takes the next one when the nearest flies: %s', (nearest) => {
    const { longitude, latitude } = dockPositionOf(SEED, 'group-1', nearest);
    const others = free.filter(({ deviceId }) => deviceId !== nearest);
    const away = (deviceId: string) => {
      const dock = dockPositionOf(SEED, 'group-1', deviceId);
      return Math.hypot((dock.longitude - longitude) * Math.cos((latitude * Math.PI) / 180), dock.latitude - latitude);
    };
    const expected = others
      .filter(({ deviceGroupId }) => deviceGroupId === 'group-1')
      .toSorted((one, other) => away(one.deviceId) - away(other.deviceId))[0];
    expect(deviceFor({ deviceGroupId: 'group-1', plan: planBeside(nearest) }, others, SEED)).toEqual(expected);
  });

  test.each([
    [
      'none of another group, however near',
      { deviceGroupId: 'group-1', plan: planBeside('group-2-device-a', 'group-2') },
      /^group-1-/,
    ],
    [
      'the one that the job names, also when another is nearer',
      { deviceGroupId: 'group-1', deviceId: 'group-1-device-c', plan: planBeside('group-1-device-a') },
      /^group-1-device-c$/,
    ],
    [
      'the first of the group for the usual round',
      { deviceGroupId: 'group-2', plan: usualRound },
      /^group-2-device-a$/,
    ],
  ])('takes %s', (_, mission, expected) => {
    expect(deviceFor(mission, free, SEED)?.deviceId).toMatch(expected);
  });

  test.each([
    ['the named device flies', { deviceGroupId: 'group-1', deviceId: 'group-1-device-x', plan: usualRound }],
    ['the group has no free device', { deviceGroupId: 'group-3', plan: planBeside('group-1-device-a') }],
  ])('takes none when %s', (_, mission) => {
    expect(deviceFor(mission, free, SEED)).toBeUndefined();
  });
});

const start = Date.parse('2026-11-27T10:31:07.250Z');
const after = (ms: number) => new Date(start + ms);
const deviceGroupId = id('group');
const device = { kind: 'device' as const, deviceId: id('device'), deviceGroupId };

describe('reports of a mission', () => {
  test.each([
    { due: [], lastMs: 0, published: [] },
    { due: ['QUEUED', 'IN_PROGRESS'], lastMs: undefined, published: ['QUEUED', 'IN_PROGRESS'] },
    { due: ['IN_PROGRESS', 'COMPLETED'], lastMs: 3000, published: ['IN_PROGRESS', 'COMPLETED'] },
    { due: ['FAILED'], lastMs: undefined, published: ['FAILED'] },
    { due: ['QUEUED', 'FAILED'], lastMs: undefined, published: ['QUEUED'] },
    { due: ['QUEUED', 'IN_PROGRESS', 'FAILED'], lastMs: undefined, published: ['QUEUED', 'IN_PROGRESS'] },
    { due: ['IN_PROGRESS', 'FAILED'], lastMs: 0, published: ['IN_PROGRESS'] },
    { due: ['FAILED'], lastMs: 1, published: [] },
    { due: ['FAILED'], lastMs: 0, published: ['FAILED'] },
  ] as const)('of $due, the last one published at $lastMs ms, $published may be published after 3 s', (row) => {
    const reportedAt = row.lastMs === undefined ? undefined : after(row.lastMs).toISOString();
    const reports = row.due.map((status) => ({ status }));
    expect(publishable(reports, reportedAt, after(3000)).map(({ status }) => status)).toEqual(row.published);
  });

  test('a failure that is due at once is reported when its flight has been, and the mission ends with it', async () => {
    let mission: Flying = {
      jobId: id('job'),
      deviceGroupId,
      deviceId: device.deviceId,
      priority: 5,
      plan: { failure: 'abort', laps: 1, speed: 1 },
      state: 'flying',
      takenAt: after(-120_000).toISOString(),
      reported: 0,
      commands: [],
      answered: 0,
    };
    const ended: string[] = [];
    dynamodb.on(UpdateCommand).callsFake(({ UpdateExpression, ExpressionAttributeValues }: UpdateCommandInput) => {
      const { ':reported': reported, ':now': now } = ExpressionAttributeValues ?? {};
      if (UpdateExpression?.includes('reported'))
        mission = { ...mission, reported: Number(reported), reportedAt: String(now) };
      else ended.push(UpdateExpression ?? '');
      return {};
    });
    const fleet = { seed: 'test', speed: 1, devices: [device], idleReports: false };
    const heard: [number, string[], number][] = [];
    for (const second of [0, 1, 2, 3]) {
      await tick({ missions: [mission], commands: [], endedShares: [] }, fleet, after(second * 1000));
      const statuses = publishedDetails<{ status: string }>('job.status.reported').map(({ status }) => status);
      heard.push([second, statuses, ended.length]);
    }
    const flown = ['QUEUED', 'IN_PROGRESS'];
    expect(heard).toEqual([
      [0, flown, 0],
      [1, flown, 0],
      [2, flown, 0],
      [3, [...flown, 'FAILED'], 1],
    ]);
  });
});
