import { createIot, type IotOptions } from '../../iot';
import { compileRuleSql, createRules } from '../../iot/rules';
import { account, domainConfiguration, eventsOf, iotForAllTests, resource, rule } from './fixture';
import { until } from '../until';

const message = (topic: string, payload: unknown) => ({
  topic,
  clientId: 'c',
  payload: Buffer.from(JSON.stringify(payload)),
});

describe('The SQL of a topic rule', () => {
  test.each([
    [`SELECT * FROM 'a/+'`, { n: 1, m: 2 }],
    [`select n from 'a/+'`, { n: 1 }],
    [`SELECT *, topic(2) AS second FROM 'a/+'`, { n: 1, m: 2, second: 'b' }],
    [`SELECT n AS x, topic() AS t, clientid() FROM 'a/+'`, { x: 1, t: 'a/b', clientid: 'c' }],
    [`SELECT topic(9) AS none\nFROM 'a/+'`, { none: undefined }],
  ])('%s selects the named columns', (sql, selected) => {
    const { filter, select } = compileRuleSql(sql);
    expect(filter).toBe('a/+');
    expect(select(message('a/b', { n: 1, m: 2 }))).toEqual(selected);
  });

  test.each([
    `SELECT * FROM 'a' WHERE n > 1`,
    `SELECT * FROM 'a' WHERE startswith(n, 'b')`,
    `SELECT * FROM 'a' WHERE regexp_matches(lower(n), 'b')`,
    `SELECT * FROM 'a' WHERE regexp_matches(n, 'b') AND m = 1`,
    `SELECT n + 1 AS m FROM 'a'`,
    `SELECT get_thing_shadow("x") FROM 'a'`,
    `SELECT newuuid() AS id FROM 'a'`,
    `DELETE FROM 'a'`,
  ])('%s fails with an error that names it', (sql) => {
    expect(() => compileRuleSql(sql)).toThrow(sql);
  });

  test.each([
    [`regexp_matches(n, 'a{2,}')`, { n: 'baaa' }, true],
    [`regexp_matches(n, 'b')`, { n: 'aaaa' }, false],
    [`REGEXP_MATCHES(n, '^a+$')`, { n: 'aab' }, false],
    [`regexp_matches( topic(2) , '^(b|c)$' )`, {}, true],
    [`regexp_matches(clientid(), '^c$')`, {}, true],
    [`regexp_matches(n, '1')`, { n: 1 }, false],
    [`regexp_matches(n, '')`, {}, false],
  ])('with WHERE %s selects nothing from a message for which it does not hold: %j %j', (condition, payload, holds) => {
    const { filter, select } = compileRuleSql(`SELECT * FROM 'a/+' WHERE ${condition}`);
    expect(filter).toBe('a/+');
    expect(select(message('a/b', payload))).toEqual(holds ? payload : undefined);
  });

  test('refuses a pattern that is no regular expression', () => {
    expect(() => compileRuleSql(`SELECT * FROM 'a' WHERE regexp_matches(n, '(')`)).toThrow('regular expression');
  });

  test('refuses a message that is not a JSON object', () => {
    const { select } = compileRuleSql(`SELECT * FROM 'a'`);
    expect(() => select(message('a', [1]))).toThrow('not a JSON object');
    expect(() => select({ topic: 'a', clientId: 'c', payload: Buffer.from('{') })).toThrow('JSON');
  });
});

describe('A topic rule', () => {
  const given = iotForAllTests();

  test('receives subscribed and unsubscribed events with the granted topics', async () => {
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

  test('receives the messages of its filter only', async () => {
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

test('a rule whose condition does not hold invokes nothing, and costs the rule without its action', () => {
  const invoked: unknown[] = [];
  const charged: unknown[] = [];
  const rules = createRules({
    lambda: { permits: () => true },
    asyncInvoker: { invoke: (...call) => invoked.push(call) > 0, stop: () => Promise.resolve() },
    meter: { charge: (...charge) => void charged.push(charge) },
    arnOf: (name) => name,
    log: () => undefined,
  });
  rules.add(rule('Own', `SELECT * FROM 'a' WHERE regexp_matches(n, '^own')`, 'f'));
  for (const n of ['foreign', 'own-1']) rules.route(message('a', { n }));
  expect(invoked).toEqual([['f', { n: 'own-1' }]]);
  expect(charged).toEqual([
    ['Own', { 'iot:rules': 1, 'iot:actions': 0 }],
    ['Own', { 'iot:rules': 1, 'iot:actions': 1 }],
  ]);
});

describe('An unsupported resource of IoT Core', () => {
  const options: IotOptions = {
    ...account,
    port: 0,
    certificate: { key: '', cert: '' },
    lambda: { permits: () => true, invoke: () => Promise.resolve(null) },
    log: () => undefined,
  };

  test('fails the deployment: SQL', () => {
    expect(() => createIot(options).create(rule('Odd', `SELECT * FROM 'a' WHERE x = 1`))).toThrow('WHERE x = 1');
  });

  test('fails the deployment: an action of a rule', () => {
    const payload = { Sql: `SELECT * FROM 'a'`, Actions: [{ S3: { BucketName: 'b' } }] };
    expect(() => createIot(options).create(resource('TopicRule', 'Odd', { TopicRulePayload: payload }))).toThrow(
      /TopicRule Odd[^]*S3/,
    );
  });

  test('fails the deployment: an authorizer with signing, a domain configuration without a certificate', () => {
    const iot = createIot(options);
    const signed = { AuthorizerFunctionArn: 'f', SigningDisabled: false };
    expect(() => iot.create(resource('Authorizer', 'Signed', signed))).toThrow('Authorizer Signed');
    const bare = { DomainName: 'mqtt.example.com' };
    expect(() => iot.create(resource('DomainConfiguration', 'Bare', bare))).toThrow(/Bare[^]*ServerCertificateArns/);
  });

  test('fails the deployment: a missing authorizer', async () => {
    const iot = createIot(options);
    await iot.create(domainConfiguration('Domain', 'Missing'));
    await expect(iot.start?.()).rejects.toThrow('Missing');
  });

  test('does not invoke the function of a rule without permission, and logs it', async () => {
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
