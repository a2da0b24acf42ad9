import * as fc from 'fast-check';
import { createPermits } from '../../../iot/authorization/policy';
import { topicMatches } from '../../../iot/topic';
import { parsePolicy } from '../../../iam/policy';
import { allow, arn, policy } from '../fixture';

const complain = jest.fn();
const permitsOf = (clientId: string, ...statements: object[]) =>
  createPermits([parsePolicy(policy(...statements))], clientId, complain);

describe('A policy for the topics of one tenant', () => {
  const tenant = allow(
    ['iot:Subscribe'],
    'topicfilter/job-aaaaaaaa-*/JOB/STATUS',
    'topicfilter/group-aaaaaaaa-*/DEVICE/STATUS',
  );
  const receiving = allow(['iot:Receive'], 'topic/job-aaaaaaaa-*/JOB/STATUS', 'topic/group-aaaaaaaa-*/DEVICE/STATUS');
  const permits = permitsOf('client', tenant, receiving);

  const word = fc.constantFrom(
    ...['+', '#', '*', '?', '', '$share', '$SYS', '$aws', 'events', 'g', 'JOB', 'DEVICE', 'STATUS'],
    ...[
      'job-aaaaaaaa-1',
      'job-aaaaaaaa-*',
      'job-aaaaaaaa-+',
      'job-aaaaaaaa-#',
      'job-????????-1',
      'job-+',
      'group-aaaaaaaa-1',
    ],
    ...['job-bbbbbbbb-1', 'group-bbbbbbbb-1'],
  );
  const filter = fc.array(word, { minLength: 1, maxLength: 8 }).map((levels) => levels.join('/'));
  const foreign = fc.constantFrom(
    ...[
      'job-bbbbbbbb-1/JOB/STATUS',
      'group-bbbbbbbb-1/DEVICE/STATUS',
      'job-aaaaaaa-1/JOB/STATUS',
      'xjob-aaaaaaaa-1/JOB/STATUS',
    ],
    ...['$SYS/x/new/clients', '$aws/events/presence/connected/c', 'share-bbbbbbbb-secret/SHARE/STATUS'],
  );

  test('allows no filter that matches topics of another tenant', () => {
    fc.assert(
      fc.property(filter, foreign, (asked, topic) => {
        const through = permits('iot:Subscribe', arn('topicfilter', asked)) && topicMatches(asked, topic);
        expect(through).toBe(false);
        expect(permits('iot:Receive', arn('topic', topic))).toBe(false);
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    '+/JOB/STATUS',
    '#',
    '+/+/+',
    'job-bbbbbbbb-1/JOB/STATUS',
    '$share/g/job-aaaaaaaa-1/JOB/STATUS',
    '$SYS/#',
    '$aws/events/#',
  ])('refuses %s', (asked) => {
    expect(permits('iot:Subscribe', arn('topicfilter', asked))).toBe(false);
  });

  test('allows its own topics', () => {
    expect(permits('iot:Subscribe', arn('topicfilter', 'job-aaaaaaaa-1/JOB/STATUS'))).toBe(true);
    expect(permits('iot:Receive', arn('topic', 'job-aaaaaaaa-1/JOB/STATUS'))).toBe(true);
  });
});

describe('The policy variable iot:ClientId', () => {
  test('is replaced by the client id, in which * and ? are no wildcards', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (clientId, other) => {
        const permits = permitsOf(clientId, allow('iot:Publish', 'topic/of/${iot:ClientId}'));
        expect(permits('iot:Publish', arn('topic', `of/${clientId}`))).toBe(true);
        expect(permits('iot:Publish', arn('topic', `of/${other}`))).toBe(clientId === other);
      }),
    );
    const greedy = permitsOf('*', allow('iot:Publish', 'topic/of/${iot:ClientId}'));
    expect(greedy('iot:Publish', arn('topic', 'of/other'))).toBe(false);
  });

  test('is supported beside ${*}, ${?} and ${$}, the literal characters', () => {
    const permits = permitsOf('c', allow('iot:Publish', 'topic/${*}/${?}/${$}'));
    expect(permits('iot:Publish', arn('topic', '*/?/$'))).toBe(true);
    expect(permits('iot:Publish', arn('topic', 'a/b/$'))).toBe(false);
  });

  test('is the only supported one: others are refused by name', () => {
    const connect = allow('iot:Connect', 'client/${iot:Connection.Thing.ThingName}');
    expect(() => permitsOf('c', connect)).toThrow('${iot:Connection.Thing.ThingName}');
  });
});

describe('A condition', () => {
  const connecting = (clientAttributes: string[]) => {
    const Condition = { 'ForAllValues:StringEquals': { 'iot:ConnectAttributes': ['LastWill'] } };
    const permits = permitsOf('c', { ...allow('iot:Connect', 'client/c'), Condition });
    return permits('iot:Connect', arn('client', 'c'), { 'iot:ConnectAttributes': clientAttributes });
  };

  test('on iot:ConnectAttributes allows the listed attributes', () => {
    expect([connecting([]), connecting(['LastWill']), connecting(['LastWill', 'PersistentConnect'])]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('with an unsupported operator allows nothing and is logged', () => {
    const Condition = { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } };
    const permits = permitsOf('c', { ...allow('iot:Connect', '*'), Condition });
    expect(permits('iot:Connect', arn('client', 'c'))).toBe(false);
    expect(complain).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining('IpAddress') as unknown }),
    );
  });
});

describe('A topic filter', () => {
  test.each([
    ['a/b', 'a/b', true],
    ['a/b', 'a/b/c', false],
    ['a/+', 'a/b', true],
    ['a/+', 'a/', true],
    ['a/+', 'a', false],
    ['+/b', '/b', true],
    ['a/#', 'a/b/c', true],
    ['a/#', 'a/', true],
    ['a/#', 'a', false],
    ['#', 'a/b', true],
    ['#', '$aws/events', false],
    ['+/events', '$aws/events', false],
    ['$aws/+', '$aws/events', true],
  ])('%s and %s: %s', (filter, topic, fits) => {
    expect(topicMatches(filter, topic)).toBe(fits);
  });

  test('without wildcards matches only itself', () => {
    const topic = fc
      .array(fc.constantFrom('a', 'b', ''), { minLength: 1, maxLength: 4 })
      .map((levels) => levels.join('/'));
    fc.assert(fc.property(topic, topic, (one, other) => expect(topicMatches(one, other)).toBe(one === other)));
  });
});
