import { resourcesReply } from '../../contract/fleet/fleet.schemas';
import { jobsQuery } from '../../contract/jobs/jobs.schemas';
import { pageQuery } from '../../contract/terms/page.schemas';
import { fullSample } from '../domain/fixtures/samples';

const limitOf = (limit: unknown) => pageQuery.safeParse({ limit }).data?.limit;

test('the default limit of a page is 50', () => {
  expect(pageQuery.parse({})).toEqual({ limit: 50 });
});

test.each([
  ['1', 1],
  ['99', 99],
  ['100', 100],
  ['101', 100],
  ['999999999', 100],
  ['007', 7],
])('a limit of %s becomes %d', (given, limit) => {
  expect(limitOf(given)).toBe(limit);
});

test.each(['0', '00', '-1', '+1', '1.5', '1e2', '0x10', '', ' 1', '1\n', 'ten', 'Infinity', '٣', 5, null])(
  'a limit of %j is refused',
  (given) => {
    expect(limitOf(given)).toBeUndefined();
  },
);

test.each([
  ['a status that does not exist', { status: 'pending' }],
  ['an empty page token', { nextToken: '' }],
  ['an endless page token', { nextToken: 'a'.repeat(1025) }],
  ['a parameter that the service does not know', { offset: '1' }],
])('a query with %s is refused', (_, query) => {
  expect(jobsQuery.safeParse(query).success).toBe(false);
});

test('jobs can be filtered by status, shares cannot', () => {
  expect(jobsQuery.safeParse({ status: 'QUEUED' }).success).toBe(true);
  expect(pageQuery.safeParse({ status: 'QUEUED' }).success).toBe(false);
});

test('a thousand devices with the longest states stay below the 6 MB that Lambda returns', () => {
  const text = '🛩'.repeat(128);
  const state = '🛩'.repeat(32);
  const lastState = { ...fullSample, droneState: state, dockState: state, jobId: text };
  const links = { mqttTopic: text, webSocketPath: text };
  const devices = Array.from({ length: 1000 }, () => ({
    deviceId: text,
    name: text,
    status: 'online' as const,
    lastState,
  }));
  const group = { deviceGroupId: text, name: text, description: text, deviceCount: 1000, links, devices };
  const reply = resourcesReply.parse({ success: true, resources: [group], count: 1 });
  expect(reply.resources[0]?.devices[0]?.lastState).toMatchObject({ droneState: state, battery: fullSample.battery });
  expect(reply.resources[0]?.devices[0]?.lastState).not.toHaveProperty('sensorPayload');
  expect(Buffer.byteLength(JSON.stringify(reply))).toBeLessThan(6_000_000);
});
