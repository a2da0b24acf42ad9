import * as z from 'zod/mini';
import { platformEventExamples } from '../../../contract/platform/platform-events.examples';
import { inboundEvents, PLATFORM, type InboundEventType } from '../../../contract/platform/platform';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { store } from '../../data/fixtures/store';
import { acme, id, rival } from '../../domain/fixtures/samples';
import { consume, deadLetters, givenStore, platformEvent, rejected } from '../fixtures/platform-events';
import '../fixtures/log';

type Detail = Readonly<Record<string, unknown>>;
type Fault = [what: string, type: InboundEventType, detail: Detail, path: string];
const NEXT = platformEvent('device.removed', { deviceId: id('device') });

/** An example of each event with all its fields. */
const examples = platformEventExamples
  .filter(({ source }) => source === PLATFORM)
  .map(({ 'detail-type': type, detail }) => [type as InboundEventType, { ...detail }] as const);
const wholes: (readonly [InboundEventType, Detail])[] = [
  ...examples.filter(([type]) => type !== 'device.telemetry.reported'),
  ...examples.flatMap(([type, detail]) =>
    type === 'job.status.reported'
      ? [
          [
            type,
            { ...detail, status: 'FAILED', reason: 'WEATHER', reasonText: 'Gusts', commandId: 'command-1' },
          ] as const,
        ]
      : [],
  ),
];

const isRequired = (type: InboundEventType, detail: Detail, field: string) =>
  !z.safeParse(inboundEvents[type], { ...detail, [field]: undefined }).success;

const kinds = { jobId: 'job', deviceId: 'device', deviceGroupId: 'group', stream: 'stream' } as const;

/** Each fault of each field: what is wrong, the event, the detail, the path. */
const faults = wholes.flatMap(([type, detail]) =>
  Object.keys(detail).flatMap((field): Fault[] => {
    const wrong = (what: string, value: unknown): Fault => [
      `${what} ${field}`,
      type,
      { ...detail, [field]: value },
      field,
    ];
    const isIdentifier = field in kinds || field === 'organisationId';
    return [
      ...(isRequired(type, detail, field) ? [wrong('without', undefined)] : []),
      ...(typeof detail[field] === 'number' ? [wrong('with a text for', '7')] : [wrong('with a number for', 7)]),
      // Of what may be left out in capabilities, all may.
      ...(field === 'capabilities' ? [] : [wrong('with an object for', {})]),
      wrong('with null for', null),
      wrong('with a text that is too long for', 'x'.repeat(4097)),
      ...(isIdentifier ? [wrong('with what this service never issued for', 'hello')] : []),
    ];
  }),
);
/** What belongs to another organisation than the first identifier. */
const foreign: Fault[] = wholes.flatMap(([type, detail]) =>
  Object.entries(kinds)
    .filter(([field]) => field in detail && Object.keys(detail).some((other) => other in kinds && other !== field))
    .filter(([field]) => (type === 'device.registered' ? field !== 'deviceId' : field !== 'jobId'))
    .map(([field, kind]): Fault => [`with a foreign ${field}`, type, { ...detail, [field]: id(kind, rival) }, field]),
);

beforeEach(() => {
  jest.useFakeTimers({
    now: new Date('2026-11-27T10:45:00.000Z'),
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'],
  });
  givenStore();
});
afterEach(() => {
  jest.useRealTimers();
});

test('each event of the platform is among the examples, and most have several faults', () => {
  const types = Object.keys(inboundEvents).filter((type) => type !== 'device.telemetry.reported');
  expect(new Set(wholes.map(([type]) => type))).toEqual(new Set(types));
  expect(faults.length).toBeGreaterThan(100);
  expect(foreign.length).toBeGreaterThan(3);
  expect(id('job')).toContain(acme);
});

test.each([...faults, ...foreign])(
  'an event %s (%s) is set aside with its path, and the next is applied',
  async (_, type, detail, path) => {
    const body = platformEvent(type, detail);
    expect(await consume(body, NEXT)).toEqual({ batchItemFailures: [] });
    expect(deadLetters()).toEqual([[body, expect.stringMatching(new RegExp(`^${path}[. ]`)) as string]]);
    expect(rejected()).toMatchObject([['report.rejected', { reason: 'malformed' }]]);
    const [[, told]] = rejected() as [[string, { details: readonly { path: string }[] }]];
    expect(new Set(told.details.map((one) => one.path.split('.')[0]))).toEqual(new Set([path]));
    const removed = store.commandCalls(UpdateCommand, { TableName: 'fleet' }).map(({ args: [{ input }] }) => input);
    expect(removed).toMatchObject([{ ExpressionAttributeValues: { ':removed': 'removed' } }]);
  },
);
