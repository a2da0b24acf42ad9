import { busArn, entry, functionArn, givenEvents, ruleArn, type GivenEvents } from './given';
import { arnOf } from '../sqs/given';

const toFunction = { Id: 'one', Arn: functionArn };

describe('A rule', () => {
  let given: GivenEvents;
  const details = () => given.got.map(({ event }) => (event as { detail: { n: number } }).detail.n);

  beforeEach(async () => {
    given = await givenEvents();
  });
  afterEach(() => given.end());

  it('lets through what its pattern fits', async () => {
    await given.rule({
      Targets: [toFunction],
      EventPattern: { source: ['ours'], 'detail-type': [{ prefix: 'job.' }], detail: { n: [{ numeric: ['>', 1] }] } },
    });
    const put = (n: number, more = {}) => ({ ...entry, Detail: JSON.stringify({ n }), ...more });
    await given.put(put(1), put(2), put(3, { DetailType: 'share.ended' }), put(4, { Source: 'theirs' }), put(5));
    expect(details()).toEqual([2, 5]);
  });

  it('hears of its own bus only, be it named by its ARN', async () => {
    await given.rule({ Targets: [toFunction], EventBusName: busArn });
    await given.put({ ...entry, EventBusName: 'default' }, { ...entry, Detail: '{"n":2}' });
    expect(details()).toEqual([2]);
  });

  it('says what it is called', async () => {
    expect(await given.rule({})).toEqual({ ref: 'platform|Jobs', attributes: { Arn: ruleArn } });
    expect(await given.rule({ EventBusName: 'default', Name: 'own' })).toEqual({
      ref: 'own',
      attributes: { Arn: 'arn:aws:events:eu-central-1:000000000000:rule/own' },
    });
  });

  it('is silent when it is switched off', async () => {
    await given.rule({ Targets: [toFunction], State: 'DISABLED' });
    await given.put(entry);
    expect(given.got).toEqual([]);
  });

  it('brings each of its targets the part of the event that it wants', async () => {
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

  it.each([
    ['a schedule', { ScheduleExpression: 'rate(1 minute)' }, 'ScheduleExpression'],
    ['a bus that does not exist', { EventBusName: 'none' }, 'there is no event bus none'],
    ['a pattern with an operator that is not played', { EventPattern: { a: [{ cidr: '10.0.0.0/8' }] } }, 'cidr'],
    ['a target of another kind', { Targets: [{ Id: 'a', Arn: 'arn:aws:sns:r:a:t' }] }, 'only functions and queues'],
    ['an input transformer', { Targets: [{ ...toFunction, InputTransformer: {} }] }, 'InputTransformer'],
    ['a path that is none', { Targets: [{ ...toFunction, InputPath: '$.a[0]' }] }, 'InputPath'],
    ['an input that is no JSON', { Targets: [{ ...toFunction, Input: '{' }] }, 'Input'],
    ['an input and a path', { Targets: [{ ...toFunction, Input: '1', InputPath: '$' }] }, 'not both'],
    ['six targets', { Targets: Array.from({ length: 6 }, () => toFunction) }, 'Targets'],
  ])('can’t have %s', (_title, properties, message) => {
    expect(() => given.rule(properties)).toThrow(message);
  });
});
