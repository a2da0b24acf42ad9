import { busArn, entry, functionArn, givenEvents, ruleArn, type GivenEvents } from './event-bus-fixture';
import { arnOf } from '../sqs/fixture';

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
