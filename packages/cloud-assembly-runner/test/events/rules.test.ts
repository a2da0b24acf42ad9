import { DescribeReplayCommand, StartReplayCommand, type StartReplayCommandInput } from '@aws-sdk/client-eventbridge';
import { busArn, entry, functionArn, givenEvents, ruleArn, type GivenEvents } from './event-bus-fixture';
import { arnOf } from '../sqs/fixture';
import { parseEventPattern } from '../../events/event-pattern';
import { until } from '../until';

const toFunction = { Id: 'one', Arn: functionArn };

describe('A rule', () => {
  let given: GivenEvents;
  const details = () => given.got.map(({ event }) => (event as { detail: { n: number } }).detail.n);

  beforeEach(async () => {
    given = await givenEvents();
  });
  afterEach(() => given.end());

  test('delivers events that match its pattern', async () => {
    await given.rule({
      Targets: [toFunction],
      EventPattern: { source: ['ours'], 'detail-type': [{ prefix: 'job.' }], detail: { n: [{ numeric: ['>', 1] }] } },
    });
    const put = (n: number, more = {}) => ({ ...entry, Detail: JSON.stringify({ n }), ...more });
    await given.put(put(1), put(2), put(3, { DetailType: 'share.ended' }), put(4, { Source: 'theirs' }), put(5));
    expect(details()).toEqual([2, 5]);
  });

  test('receives events of its own bus only, by name or ARN', async () => {
    await given.rule({ Targets: [toFunction], EventBusName: busArn });
    await given.put({ ...entry, EventBusName: 'default' }, { ...entry, Detail: '{"n":2}' });
    expect(details()).toEqual([2]);
  });

  test('returns its name and ARN', async () => {
    expect(await given.rule({})).toEqual({ ref: 'platform|Jobs', attributes: { Arn: ruleArn } });
    expect(await given.rule({ EventBusName: 'default', Name: 'own' })).toEqual({
      ref: 'own',
      attributes: { Arn: 'arn:aws:events:eu-central-1:000000000000:rule/own' },
    });
  });

  test('is idle when disabled', async () => {
    await given.rule({ Targets: [toFunction], State: 'DISABLED' });
    await given.put(entry);
    expect(given.got).toEqual([]);
  });

  test('passes each target its part of the event', async () => {
    await given.queue('All');
    await given.queue('Constant');
    await given.rule({
      Targets: [
        { Id: 'part', Arn: functionArn, InputPath: '$.detail' },
        { Id: 'nothing', Arn: functionArn, InputPath: '$.detail.none' },
        { Id: 'all', Arn: arnOf('All'), InputPath: '$' },
        { Id: 'constant', Arn: arnOf('Constant'), Input: '{"go":true}' },
      ],
    });
    const { Entries } = await given.put(entry);
    expect(given.got.map(({ event }) => event)).toEqual([{ n: 1 }, undefined]);
    const texts = (name: string) =>
      given.sqs.queue(arnOf(name))?.messages.map(({ body }) => JSON.parse(body) as unknown);
    expect(texts('All')).toMatchObject([{ id: Entries?.[0]?.EventId, detail: { n: 1 } }]);
    expect(texts('Constant')).toEqual([{ go: true }]);
  });

  test.each([
    ['a schedule', { ScheduleExpression: 'rate(1 minute)' }, 'ScheduleExpression'],
    ['an unknown bus', { EventBusName: 'none' }, 'there is no event bus none'],
    ['an unsupported operator in a pattern', { EventPattern: { a: [{ cidr: '10.0.0.0/8' }] } }, 'cidr'],
    ['an unsupported target', { Targets: [{ Id: 'a', Arn: 'arn:aws:sns:r:a:t' }] }, 'only functions and queues'],
    ['an input transformer', { Targets: [{ ...toFunction, InputTransformer: {} }] }, 'InputTransformer'],
    ['an invalid path', { Targets: [{ ...toFunction, InputPath: '$.a[0]' }] }, 'InputPath'],
    ['an input that is not JSON', { Targets: [{ ...toFunction, Input: '{' }] }, 'Input'],
    ['an input and a path', { Targets: [{ ...toFunction, Input: '1', InputPath: '$' }] }, 'not both'],
    ['six targets', { Targets: Array.from({ length: 6 }, () => toFunction) }, 'Targets'],
  ])('refuses %s', (_title, properties, message) => {
    expect(() => given.rule(properties)).toThrow(message);
  });
});

const fits = (pattern: unknown, event: unknown) => parseEventPattern(JSON.stringify(pattern))(event);

describe('Event pattern', () => {
  test.each<[string, unknown, unknown, boolean]>([
    ['matches one of the values', { name: ['A', 'B'] }, { name: 'B' }, true],
    ['does not match another value', { name: ['A', 'B'] }, { name: 'C' }, false],
    ['distinguishes a number from its text', { n: [1] }, { n: '1' }, false],
    ['matches null', { n: [null] }, { n: null }, true],
    ['distinguishes null from a missing field', { n: [null] }, {}, false],
    ['matches an empty string', { n: [''] }, { n: '' }, true],
    ['matches true', { n: [true] }, { n: true }, true],
    ['ignores other fields', { name: ['A'] }, { name: 'A', other: 1 }, true],
    ['requires all fields', { a: [1], b: [2] }, { a: 1, b: 3 }, false],
    ['matches nested fields', { a: { b: { c: [1] } } }, { a: { b: { c: 1 } } }, true],
    ['does not match an object as a leaf', { a: [1] }, { a: { b: 1 } }, false],
    ['does not match a leaf as an object', { a: { b: [1] } }, { a: 1 }, false],
    ['matches a list that contains a value', { a: [1] }, { a: [3, 1] }, true],
    ['matches a list that contains a matching object', { a: { b: [1] } }, { a: [{ b: 2 }, { b: 1 }] }, true],
    ['matches a prefix', { a: [{ prefix: 'dev-' }] }, { a: 'dev-1' }, true],
    ['does not match another prefix', { a: [{ prefix: 'dev-' }] }, { a: 'group-1' }, false],
    ['matches a suffix', { a: [{ suffix: '.png' }] }, { a: 'a.png' }, true],
    ['does not match another suffix', { a: [{ suffix: '.png' }] }, { a: 'png.a' }, false],
    ['ignores case with equals-ignore-case', { a: [{ 'equals-ignore-case': 'Bob' }] }, { a: 'bOB' }, true],
    ['matches an existing field', { a: [{ exists: true }] }, { a: 0 }, true],
    ['does not match a missing field', { a: { b: [{ exists: true }] } }, { a: {} }, false],
    ['does not match a field of a missing object', { a: { b: [{ exists: true }] } }, {}, false],
    ['matches a missing field with exists false', { a: { b: [{ exists: false }] } }, {}, true],
    ['does not match an existing field with exists false', { a: [{ exists: false }] }, { a: null }, false],
    ['does not count an object as an existing value', { a: [{ exists: true }] }, { a: { b: 1 } }, false],
    ['matches anything but a value', { a: [{ 'anything-but': 'x' }] }, { a: 'y' }, true],
    ['does not match the excluded value', { a: [{ 'anything-but': 'x' }] }, { a: 'x' }, false],
    ['matches anything but some values', { a: [{ 'anything-but': ['x', 1] }] }, { a: 1 }, false],
    ['does not match a missing field with anything-but', { a: [{ 'anything-but': 'x' }] }, {}, false],
    ['matches anything but a prefix', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'yx' }, true],
    ['does not match the excluded prefix', { a: [{ 'anything-but': { prefix: 'x' } }] }, { a: 'xy' }, false],
    ['matches a number in a range', { n: [{ numeric: ['>', 0, '<=', 5] }] }, { n: 5 }, true],
    ['does not match an exclusive bound', { n: [{ numeric: ['>', 0, '<=', 5] }] }, { n: 0 }, false],
    ['matches an equal number', { n: [{ numeric: ['=', 3] }] }, { n: 3 }, true],
    ['does not match text with numeric', { n: [{ numeric: ['=', 3] }] }, { n: '3' }, false],
    ['matches either of two patterns with $or', { $or: [{ a: [1] }, { b: [2] }] }, { b: 2 }, true],
    ['does not match when no pattern of $or does', { $or: [{ a: [1] }, { b: [2] }] }, { a: 2, b: 1 }, false],
    ['requires other fields besides $or', { c: [1], $or: [{ a: [1] }] }, { a: 1, c: 2 }, false],
    ['does not match inherited properties', { constructor: [{ exists: true }] }, {}, false],
  ])('%s', (_title, pattern, event, expected) => {
    expect(fits(pattern, event)).toBe(expected);
  });

  test.each<[string, unknown, string]>([
    ['a bare value', { a: 'x' }, 'is not an event pattern'],
    ['a list', [], 'is not an event pattern'],
    ['an unsupported operator', { a: [{ cidr: '10.0.0.0/24' }] }, 'cidr'],
    ['two operators in one', { a: [{ prefix: 'x', suffix: 'y' }] }, 'prefix, suffix'],
    ['an operand of another type', { a: [{ prefix: 1 }] }, 'prefix does not take 1'],
    ['a range without a bound', { a: [{ numeric: ['>'] }] }, 'numeric does not take'],
    ['a range with an unknown sign', { a: [{ numeric: ['~', 1] }] }, 'numeric does not take'],
    ['an invalid exclusion', { a: [{ 'anything-but': { exists: true } }] }, 'anything-but does not take'],
    ['alternatives that are not a list', { $or: { a: [1] } }, '$or takes a list'],
  ])('does not accept %s', (_title, pattern, message) => {
    expect(() => parseEventPattern(JSON.stringify(pattern))).toThrow(message);
  });
});

describe('A replay', () => {
  let given: GivenEvents;
  beforeEach(async () => {
    given = await givenEvents();
    await given.archive({ EventPattern: { 'detail-type': [{ 'anything-but': 'telemetry' }] } });
    await given.rule({ Name: 'Jobs', Targets: [{ Id: 'follow', Arn: functionArn }] });
  });
  afterEach(() => given.end());

  const archiveArn = 'arn:aws:events:eu-central-1:000000000000:archive/Archive';
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 27, 10, 0, seconds));
  const put = (n: number, Time: Date, more = {}) =>
    given.put({ ...entry, Detail: JSON.stringify({ n }), Time, ...more });
  const start = (more: Partial<StartReplayCommandInput> = {}) =>
    given.client.send(
      new StartReplayCommand({
        ReplayName: 'again',
        EventSourceArn: archiveArn,
        EventStartTime: at(0),
        EventEndTime: at(120),
        Destination: { Arn: busArn, FilterArns: [ruleArn] },
        ...more,
      }),
    );
  const describeReplay = () => given.client.send(new DescribeReplayCommand({ ReplayName: 'again' }));

  test('delivers the events of its time again, the minutes in order, marked by its name', async () => {
    await given.rule({ Name: 'Others', Targets: [{ Id: 'other', Arn: `${functionArn}Other` }] }, 'Others');
    await put(0, at(-1));
    await put(1, at(1));
    await put(2, at(2));
    await put(3, at(61));
    await put(4, at(62), { DetailType: 'telemetry' });
    await put(5, at(120));
    given.got.length = 0;
    expect(await start()).toMatchObject({
      State: 'STARTING',
      ReplayArn: expect.stringContaining('replay/again') as string,
    });
    await until(() => given.got.length === 3);
    expect(given.got.map(({ name, event }) => [name, (event as { detail: object }).detail])).toEqual([
      ['Follow', { n: 2 }],
      ['Follow', { n: 1 }],
      ['Follow', { n: 3 }],
    ]);
    expect(given.got[0]?.event).toMatchObject({ 'replay-name': 'again', time: '2026-11-27T10:00:02Z' });
    expect(await describeReplay()).toMatchObject({
      State: 'COMPLETED',
      EventLastReplayedTime: at(61),
      EventSourceArn: archiveArn,
    });
  });

  test('reaches all rules of the bus when it names none, and is not archived again', async () => {
    await put(1, at(1));
    await start({ Destination: { Arn: busArn } });
    await start({ ReplayName: 'once-more', Destination: { Arn: busArn } });
    await until(() => given.got.length === 3);
    expect((await describeReplay()).State).toBe('COMPLETED');
    expect(given.got).toHaveLength(3);
  });

  test.each<[string, Partial<StartReplayCommandInput>, string]>([
    ['of an unknown archive', { EventSourceArn: `${archiveArn}2` }, 'ResourceNotFoundException'],
    ['that ends before it starts', { EventEndTime: at(0) }, 'ValidationException'],
    ['to another bus', { Destination: { Arn: busArn.replace('platform', 'default') } }, 'ValidationException'],
    ['to an unknown rule', { Destination: { Arn: busArn, FilterArns: [`${ruleArn}2`] } }, 'ValidationException'],
  ])('%s is refused', async (_, more, name) => {
    await expect(start(more)).rejects.toMatchObject({ name });
    await expect(describeReplay()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('has a name that can be used once', async () => {
    await start();
    await expect(start()).rejects.toMatchObject({ name: 'ResourceAlreadyExistsException' });
  });

  test('needs the permission on the replay and on the archive', () => {
    const call = {
      service: 'events',
      method: 'POST',
      path: '/',
      headers: { 'x-amz-target': 'AWSEvents.StartReplay' },
      body: Buffer.from(JSON.stringify({ ReplayName: 'again', EventSourceArn: archiveArn })),
    };
    const action = 'events:StartReplay';
    expect(given.events.permissions(call)).toEqual([
      { action, resource: 'arn:aws:events:eu-central-1:000000000000:replay/again' },
      { action, resource: archiveArn },
    ]);
  });
});
