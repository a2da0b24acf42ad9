import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Flying } from '../../packages/simulator/flying';
import { publishable } from '../../packages/simulator/reports';
import { tick } from '../../packages/simulator/tick';
import { id } from '../domain/fixtures/samples';
import { dynamodb, publishedDetails } from './fixtures/aws';

const start = Date.parse('2026-11-27T10:31:07.250Z');
const after = (ms: number) => new Date(start + ms);
const deviceGroupId = id('group');
const device = { kind: 'device' as const, deviceId: id('device'), deviceGroupId };

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
