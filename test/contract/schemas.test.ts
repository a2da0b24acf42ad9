import * as z from 'zod/mini';
import { resourcesReply } from '../../contract/fleet/fleet.schemas';
import { jobsQuery } from '../../contract/jobs/jobs.schemas';
import { pageQuery } from '../../contract/terms/page.schemas';
import { describeFault, describeParameterFault } from '../../contract/terms/validation-messages';
import { webSocketActions } from '../../contract/websocket-actions';
import { jobRequest } from '../../domain/jobs/job-request';
import { shareRequest } from '../../domain/shares/new-share';
import { sample as sampleSchema } from '../../domain/telemetry/reported-sample';
import { fullSample } from '../domain/fixtures/samples';

describe('Schemas', () => {
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
});

describe('Validation messages', () => {
  /** Path and message of each fault; unknown names as one fault, as zod has them. */
  const faults = (schema: z.ZodMiniType, value: unknown, error = describeFault) =>
    (schema.safeParse(value, { error }).error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]);

  const job = { name: 'Rim', deviceGroupId: 'group-1' };
  const share = { resourceId: 'device-1', shareType: 'STREAM' };
  const iso = 'must be a date and time with an offset (ISO 8601), such as 2026-11-27T10:30:00Z';

  test.each([
    ['a missing text', { deviceGroupId: 'group-1' }, 'name', 'is required'],
    ['a number for a text', { ...job, name: 7 }, 'name', 'must be a string'],
    ['null for a text', { ...job, name: null }, 'name', 'must be a string'],
    ['an empty text', { ...job, name: '' }, 'name', 'must not be empty'],
    ['a text that is too long', { ...job, name: 'x'.repeat(257) }, 'name', 'must be at most 256 characters long'],
    ['half a character', { ...job, name: '\ud800' }, 'name', 'must be well-formed Unicode'],
    ['a text for an integer', { ...job, priority: '3' }, 'priority', 'must be an integer'],
    ['a fraction for an integer', { ...job, priority: 1.5 }, 'priority', 'must be an integer'],
    ['an infinite number', { ...job, priority: Infinity }, 'priority', 'must be a number that JSON can carry back'],
    ['a number that is too small', { ...job, priority: 0 }, 'priority', 'must be 1 or more'],
    ['a number that is too large', { ...job, priority: 11 }, 'priority', 'must be 10 or less'],
    ['a time without an offset', { ...job, scheduledAt: '2026-11-27T10:30:00' }, 'scheduledAt', iso],
    ['a list for an object', { ...job, metadata: [] }, 'metadata', 'must be an object'],
    ['a body that is a list', [], '', 'must be an object'],
  ])('%s in a job is described', (_, value, path, message) => {
    expect(faults(jobRequest, value)).toEqual([[path, message]]);
  });

  test.each([
    ['a missing choice', { resourceId: 'device-1' }, 'shareType', 'is required'],
    ['another choice', { ...share, shareType: 'LIVE' }, 'shareType', 'must be one of STREAM, DEVICE_STATUS'],
    [
      'an element that is another choice',
      { ...share, permissions: ['fly'] },
      'permissions.0',
      'must be one of view, control',
    ],
    ['a text for a list', { ...share, permissions: 'view' }, 'permissions', 'must be a list'],
    ['an empty list', { ...share, permissions: [] }, 'permissions', 'must not be empty'],
  ])('%s in a share is described', (_, value, path, message) => {
    expect(faults(shareRequest, value)).toEqual([[path, message]]);
  });

  const sample = { deviceId: 'device-1', timestamp: '2026-11-27T10:30:00Z' };
  const at = (coordinates: unknown, type = 'Point') => ({ navigation: { position: { type, coordinates } } });
  test.each([
    ['text for a truth value', { ...sample, simulated: 'yes' }, 'simulated', 'must be true or false'],
    ['text for a number', { ...sample, battery: { percent: '9' } }, 'battery.percent', 'must be a number'],
    [
      'too few coordinates',
      { ...sample, ...at([1, 2]) },
      'navigation.position.coordinates',
      'must have at least 3 elements',
    ],
    [
      'too many coordinates',
      { ...sample, ...at([1, 2, 3, 4]) },
      'navigation.position.coordinates',
      'must have at most 3 elements',
    ],
    [
      'the only value that is possible',
      { ...sample, ...at([1, 2, 3], 'Line') },
      'navigation.position.type',
      'must be Point',
    ],
  ])('%s in a message is described', (_, value, path, message) => {
    expect(faults(sampleSchema, value)).toEqual([[path, message]]);
  });

  test('a message without telemetry is described', () => {
    expect(faults(webSocketActions.publish.message, { action: 'publish' })).toEqual([['telemetry', 'is required']]);
  });

  test('of unknown names each gets a line, with the nearest known name where there is one', () => {
    const unknown = { sheduledAt: 'x', deviceGroupID: 'x', colour: 'x' };
    expect(faults(jobRequest, { ...job, ...unknown })).toEqual([
      ['', 'unknown field; did you mean scheduledAt?\nunknown field; did you mean deviceGroupId?\nunknown field'],
    ]);
  });

  test.each([
    [z.strictObject({}), { page: '2' }, 'unknown parameter (this endpoint has none)'],
    [
      jobsQuery,
      { stauts: '2' },
      'unknown parameter; did you mean status? (known: deviceGroupId, deviceId, limit, nextToken, status)',
    ],
  ])('of an unknown parameter of a query the known ones are listed', (query, given, message) => {
    expect(faults(query, given, describeParameterFault)).toEqual([['', message]]);
  });

  test('at most 20 unknown names are compared with the known ones, and of each no more than its beginning', () => {
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${index}${'x'.repeat(2000)}`, 1]));
    const [[, message = ''] = []] = faults(jobRequest, { ...job, ...unknown });
    expect(message.split('\n')).toEqual(Array(20).fill('unknown field'));
  });

  test('a text with another form is described without its pattern', () => {
    expect(faults(z.string().check(z.regex(/^secret/)), 'x')).toEqual([['', 'has the wrong form']]);
    expect(faults(z.uuid(), 'x')).toEqual([['', 'must be a UUID']]);
  });
});
