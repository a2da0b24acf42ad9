import { DescribeReplayCommand, StartReplayCommand, type StartReplayCommandInput } from '@aws-sdk/client-eventbridge';
import { until } from '../until';
import { busArn, entry, functionArn, givenEvents, ruleArn, type GivenEvents } from './event-bus-fixture';

let given: GivenEvents;
beforeEach(async () => {
  given = await givenEvents();
  await given.archive({ EventPattern: { 'detail-type': [{ 'anything-but': 'telemetry' }] } });
  await given.rule({ Name: 'Jobs', Targets: [{ Id: 'follow', Arn: functionArn }] });
});
afterEach(() => given.end());

const archiveArn = 'arn:aws:events:eu-central-1:000000000000:archive/Archive';
const at = (seconds: number) => new Date(Date.UTC(2026, 10, 27, 10, 0, seconds));
const put = (n: number, Time: Date, more = {}) => given.put({ ...entry, Detail: JSON.stringify({ n }), Time, ...more });
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

describe('A replay', () => {
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
