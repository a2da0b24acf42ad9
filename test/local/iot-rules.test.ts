import { createIot, type IotOptions } from '../../local/iot';
import { createLaterCalls } from '../../local/lambda/later-calls';
import { compileRuleSql } from '../../local/iot/rule-sql';
import { domainConfiguration, eventsOf, givenIot, place, resource, rule, type GivenIot, until } from './iot-given';

const message = (topic: string, payload: unknown) => ({
  topic,
  clientId: 'c',
  payload: Buffer.from(JSON.stringify(payload)),
});

describe('The SQL of a topic rule', () => {
  it.each([
    [`SELECT * FROM 'a/+'`, { n: 1, m: 2 }],
    [`select n from 'a/+'`, { n: 1 }],
    [`SELECT *, topic(2) AS second FROM 'a/+'`, { n: 1, m: 2, second: 'b' }],
    [`SELECT n AS x, topic() AS t, clientid() FROM 'a/+'`, { x: 1, t: 'a/b', clientid: 'c' }],
    [`SELECT topic(9) AS none\nFROM 'a/+'`, { none: undefined }],
  ])('%s selects what it says', (sql, selected) => {
    const { filter, select } = compileRuleSql(sql);
    expect(filter).toBe('a/+');
    expect(select(message('a/b', { n: 1, m: 2 }))).toEqual(selected);
  });

  it.each([
    `SELECT * FROM 'a' WHERE n > 1`,
    `SELECT n + 1 AS m FROM 'a'`,
    `SELECT get_thing_shadow("x") FROM 'a'`,
    `SELECT newuuid() AS id FROM 'a'`,
    `DELETE FROM 'a'`,
  ])('%s stops the start, by name', (sql) => {
    expect(() => compileRuleSql(sql)).toThrow(sql);
  });

  it('takes no message that is not a JSON object', () => {
    const { select } = compileRuleSql(`SELECT * FROM 'a'`);
    expect(() => select(message('a', [1]))).toThrow('not a JSON object');
    expect(() => select({ topic: 'a', clientId: 'c', payload: Buffer.from('{') })).toThrow('JSON');
  });
});

describe('A topic rule', () => {
  let given: GivenIot;
  beforeAll(async () => {
    given = await givenIot();
  });
  afterAll(() => given.end());
  beforeEach(() => {
    given.calls.length = given.log.length = 0;
  });

  it('hears of subscriptions that come and go, with the topics that were granted', async () => {
    const client = await given.connect('anyone', { clientId: 'subscriber' });
    await client.subscribeAsync(['a', 'b/+']);
    await client.unsubscribeAsync(['a', 'never']);
    await until(() => eventsOf(given.calls, 'unsubscribed').length === 1);
    const common = {
      clientId: 'subscriber',
      timestamp: expect.any(Number) as unknown,
      sessionIdentifier: eventsOf(given.calls, 'connected')[0]?.sessionIdentifier,
      principalIdentifier: 'partner7',
    };
    expect(eventsOf(given.calls, 'subscribed', 'unsubscribed')).toEqual([
      { ...common, eventType: 'subscribed', topics: ['a', 'b/+'] },
      { ...common, eventType: 'unsubscribed', topics: ['a'] },
    ]);
    await client.endAsync();
    await until(() => eventsOf(given.calls, 'disconnected').length === 1);
    await given.connect('anyone');
    expect(eventsOf(given.calls, 'unsubscribed')).toHaveLength(1);
  });

  it('hears of ordinary messages, too, and of none that it did not ask for', async () => {
    await given.iot.create(rule('Own', `SELECT *, topic(2) AS id FROM 'things/+/state'`, 'own'));
    const client = await given.connect('anyone');
    await client.publishAsync('things/7/state', '{"on":true}', { qos: 1 });
    await client.publishAsync('things/7/other', '{"on":true}', { qos: 1 });
    await client.publishAsync('things/8/state', 'no JSON', { qos: 1 });
    await until(() => given.log.length > 0);
    expect(given.calls.filter(([name]) => name === 'own')).toEqual([['own', { on: true, id: '7' }]]);
    expect(given.log).toEqual([expect.stringContaining('rule/Own')]);
  });
});

describe('What does not fit this machine', () => {
  const options: IotOptions = {
    ...place,
    port: 0,
    certificate: { key: '', cert: '' },
    lambda: { permits: () => true, invoke: () => Promise.resolve(null) },
    log: () => undefined,
  };

  it('stops the start: SQL that is not understood', () => {
    expect(() => createIot(options).create(rule('Odd', `SELECT * FROM 'a' WHERE x = 1`))).toThrow('WHERE x = 1');
  });

  it('stops the start: an action that is not played', () => {
    const payload = { Sql: `SELECT * FROM 'a'`, Actions: [{ S3: { BucketName: 'b' } }] };
    expect(() => createIot(options).create(resource('TopicRule', 'Odd', { TopicRulePayload: payload }))).toThrow(
      /TopicRule Odd[^]*S3/,
    );
  });

  it('stops the start: an authorizer with signed tokens, a domain configuration with a name and no certificate', () => {
    const iot = createIot(options);
    const signed = { AuthorizerFunctionArn: 'f', SigningDisabled: false };
    expect(() => iot.create(resource('Authorizer', 'Signed', signed))).toThrow('Authorizer Signed');
    const bare = { DomainName: 'mqtt.example.com' };
    expect(() => iot.create(resource('DomainConfiguration', 'Bare', bare))).toThrow(/Bare[^]*ServerCertificateArns/);
  });

  it('stops the start: an authorizer that is named and not there', async () => {
    const iot = createIot(options);
    await iot.create(domainConfiguration('Domain', 'Missing'));
    await expect(iot.start?.()).rejects.toThrow('Missing');
  });

  it('leaves a rule without its function, and says so, when that does not permit it', async () => {
    const log: string[] = [];
    const invoke = jest.fn();
    const iot = createIot({ ...options, lambda: { permits: () => false, invoke }, log: (line) => log.push(line) });
    await iot.create(rule('Forbidden', `SELECT * FROM 'a'`));
    await iot.start?.();
    const headers = { 'content-type': 'application/octet-stream' };
    const call = { service: 'iotdata', method: 'POST', path: '/topics/a?qos=1', headers, body: Buffer.from('{}') };
    expect(await iot.answer(call)).toMatchObject({ status: 200 });
    await iot.stop?.();
    expect(log).toEqual([expect.stringContaining('no AWS::Lambda::Permission')]);
    expect(invoke).not.toHaveBeenCalled();
  });
});

describe('A function that is called in the background', () => {
  it('is called three times at most', async () => {
    const invoke = jest.fn(() => Promise.reject(new Error('boom')));
    const log: string[] = [];
    const calls = createLaterCalls({ invoke }, (line) => log.push(line), [0, 0]);
    calls.call('f', { n: 1 });
    await until(() => log.length > 0);
    expect(invoke.mock.calls).toEqual(Array(3).fill(['f', { n: 1 }]));
    expect(log).toEqual([expect.stringContaining('boom')]);
  });

  it('is called once when it succeeds', async () => {
    const invoke = jest.fn(() => Promise.resolve());
    const calls = createLaterCalls({ invoke }, () => undefined, [0, 0]);
    calls.call('f', {});
    await calls.end();
    expect(invoke).toHaveBeenCalledTimes(1);
  });

  it('is not called again after the end, and the end waits for it', async () => {
    let fail: (error: Error) => void = () => undefined;
    const invoke = jest.fn(() => new Promise<never>((_resolve, reject) => (fail = reject)));
    const log: string[] = [];
    const calls = createLaterCalls({ invoke }, (line) => log.push(line), [0, 0]);
    calls.call('f', {});
    const order: string[] = [];
    const ended = calls.end().then(() => order.push('ended'));
    await new Promise(setImmediate);
    order.push('failed');
    fail(new Error('too late'));
    await ended;
    expect(order).toEqual(['failed', 'ended']);
    calls.call('f', {});
    expect(invoke).toHaveBeenCalledTimes(1);
    expect(log).toHaveLength(2);
  });

  it('is not called while 10,000 calls are under way', () => {
    const invoke = jest.fn(() => new Promise<never>(() => undefined));
    const log: string[] = [];
    const calls = createLaterCalls({ invoke }, (line) => log.push(line));
    for (let index = 0; index < 10_000; index++) expect(calls.call('f', index)).toBe(true);
    expect(calls.call('f', 10_000)).toBe(false);
    expect(invoke).toHaveBeenCalledTimes(10_000);
    expect(log).toEqual([expect.stringContaining('too many')]);
  });
});
