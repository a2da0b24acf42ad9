import { busArn, entry, functionArn, givenEvents, type GivenEvents } from './event-bus-fixture';
import { limitedQuotas } from '../limited-quotas';

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as unknown;

describe('PutEvents', () => {
  let given: GivenEvents;
  const permissions = (Entries: object[]) =>
    given.events.permissions({
      service: 'events',
      method: 'POST',
      path: '/',
      headers: { 'x-amz-target': 'AWSEvents.PutEvents' },
      body: Buffer.from(JSON.stringify({ Entries })),
    });

  beforeEach(async () => {
    given = await givenEvents();
    await given.rule({ Targets: [{ Id: 'one', Arn: functionArn }] });
  });
  afterEach(() => given.end());

  test("delivers an event in EventBridge's format", async () => {
    const Time = new Date('2026-11-20T17:00:01.500Z');
    const { Entries, FailedEntryCount } = await given.put({ ...entry, Time, Resources: ['job-1'] });
    expect([FailedEntryCount, Entries]).toEqual([0, [{ EventId: uuid }]]);
    const expected = {
      version: '0',
      id: Entries?.[0]?.EventId,
      'detail-type': 'job.created',
      source: 'ours',
      account: '000000000000',
      time: '2026-11-20T17:00:01Z',
      region: 'eu-central-1',
      resources: ['job-1'],
      detail: { n: 1 },
    };
    expect(given.got).toEqual([{ name: 'Follow', event: expected }]);
  });

  test('uses the current time by default', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    await given.put(entry);
    const { time } = given.got[0]?.event as { time: string };
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.now());
  });

  test('charges the caller for each event in steps of 64 KB, and for its delivery to a queue', async () => {
    await given.queue('Work');
    await given.rule({ Targets: [{ Id: 'two', Arn: 'arn:aws:sqs:eu-central-1:000000000000:Work' }] }, 'Others');
    await given.put(
      entry,
      { ...entry, Detail: '{' },
      { ...entry, Detail: JSON.stringify({ text: 'x'.repeat(65_536) }) },
    );
    const { admin, Work } = given.meter.usage();
    expect(admin).toEqual({ 'events:events': 3, 'events:bytes': 0 });
    expect(Work).toEqual({ 'sqs:requests': 3 });
  });

  test('charges the caller for the bytes of events that an archive of the bus keeps', async () => {
    await given.archive({ EventPattern: { 'detail-type': [{ 'anything-but': 'device.reported' }] } });
    await given.put(entry, { ...entry, DetailType: 'device.reported' }, { ...entry, Detail: '{' });
    const bytes = '{"n":1}'.length + 'oursjob.created'.length;
    expect(given.meter.usage()['admin']).toEqual({ 'events:events': 2, 'events:bytes': bytes });
  });

  test('charges for all events of a bus with an archive that has no pattern, and for none of another bus', async () => {
    await given.archive();
    await given.put({ ...entry, EventBusName: 'default' });
    expect(given.meter.usage()['admin']).toMatchObject({ 'events:bytes': 0 });
    await given.put(entry);
    expect(given.meter.usage()['admin']).toMatchObject({ 'events:bytes': '{"n":1}'.length + 'oursjob.created'.length });
  });

  test.each([
    [{ RetentionDays: -1 }, /RetentionDays/],
    [{ Pattern: {} }, /Pattern/],
    [{ SourceArn: busArn.replace('platform', 'nowhere') }, /there is no event bus nowhere/],
    [{ EventPattern: { source: [{ near: 'x' }] } }, /operator near is not supported/],
  ])('refuses an archive with %j', (properties, reason) => {
    expect(() => given.archive(properties)).toThrow(reason);
  });

  test('refuses invalid entries individually, in their place', async () => {
    const { Entries, FailedEntryCount } = await given.put(
      { ...entry, Detail: '{' },
      { ...entry, Detail: '[]' },
      { ...entry, Source: '' },
      { EventBusName: 'platform', Source: 'ours', Detail: '{}' },
      { ...entry, Source: 'aws.ec2' },
      { ...entry, EventBusName: 'nowhere' },
      { ...entry, EventBusName: busArn },
    );
    expect(FailedEntryCount).toBe(6);
    expect(Entries?.map(({ ErrorCode, EventId }) => ErrorCode ?? EventId)).toEqual([
      'MalformedDetail',
      'MalformedDetail',
      'InvalidArgument',
      'InvalidArgument',
      'NotAuthorizedForSourceException',
      'ResourceNotFoundException',
      uuid,
    ]);
    expect(given.got).toHaveLength(1);
  });

  test.each([
    ['none', []],
    ['eleven', Array.from({ length: 11 }, () => entry)],
    ['more than 1 MiB', [0, 1].map(() => ({ ...entry, Detail: JSON.stringify({ text: 'x'.repeat(524_288) }) }))],
  ])('refuses a request with %s', async (_title, entries) => {
    await expect(given.put(...entries)).rejects.toMatchObject({ name: 'ValidationException' });
    expect(given.got).toEqual([]);
  });

  test('accepts a request of 1 MiB', async () => {
    const bytes = Buffer.byteLength(`${entry.Source}${entry.DetailType}{"text":""}`);
    await given.put({ ...entry, Detail: JSON.stringify({ text: 'x'.repeat(1_048_576 - bytes) }) });
    expect(given.got).toHaveLength(1);
  });

  test('requires permission on the bus, source and detail type', () => {
    expect(permissions([entry, { ...entry, EventBusName: busArn, Source: 'theirs' }, {}])).toEqual([
      {
        action: 'events:PutEvents',
        resource: busArn,
        context: { 'events:source': ['ours'], 'events:detail-type': ['job.created'] },
      },
      {
        action: 'events:PutEvents',
        resource: busArn,
        context: { 'events:source': ['theirs'], 'events:detail-type': ['job.created'] },
      },
      {
        action: 'events:PutEvents',
        resource: 'arn:aws:events:eu-central-1:000000000000:event-bus/default',
        context: { 'events:source': [''], 'events:detail-type': [''] },
      },
    ]);
  });

  test('refuses other operations', async () => {
    const answer = await given.events.answer({
      service: 'events',
      method: 'POST',
      path: '/',
      headers: { 'x-amz-target': 'AWSEvents.TestEventPattern' },
      body: Buffer.from('{}'),
    });
    expect(answer.body).toContain('TestEventPattern is not supported');
  });

  test('is throttled beyond the quota', async () => {
    const throttled = await givenEvents(limitedQuotas({ putEvents: 0 }));
    await expect(throttled.put(entry)).rejects.toMatchObject({ name: 'ThrottlingException' });
    await throttled.end();
  });
});
