import * as z from 'zod/mini';
import { jobsQuery } from '../../../contract/jobs/jobs.schemas';
import { describeFault, describeParameterFault } from '../../../contract/terms/validation-messages';
import { jobRequest } from '../../../domain/jobs/job';
import { shareRequest } from '../../../domain/shares/new-share';
import { sample as sampleSchema } from '../../../domain/telemetry/telemetry';
import { webSocketActions } from '../../../contract/websocket-actions';

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
