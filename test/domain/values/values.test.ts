import { jobRequest, newJob } from '../../../domain/jobs/job-request';
import { callSeat, withSeat } from '../../../domain/values/call-seats';
import { findOrigin } from '../../../domain/values/creator';
import { meantAction, type Destination, whyNotFlown } from '../../../domain/values/destination';
import { kinds, organisationId, organisationOf } from '../../../domain/values/id';
import { pageToken, readPageToken } from '../../../domain/values/page-token';
import { fc } from '../../property-runs';
import { id, refusalOf } from '../fixtures/samples';
import { longitudeBeside } from '../../../domain/values/longitude';

describe('An identifier', () => {
  const unique = '01jd0000000000000000000000';
  const letters = (alphabet: string, minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength, maxLength });
  const tags = letters('0123456789abcdefghjkmnpqrstvwxyz', 8, 8);
  const uniques = letters('0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', 22, 64);

  test('an identifier contains its organisation, which is read only for its own kind', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.constantFrom(...kinds), tags, uniques, (kind, other, tag, rest) => {
        expect(organisationOf(other, `${kind}-${tag}-${rest}`)).toBe(kind === other ? tag : undefined);
      }),
    );
  });

  test('text that is not an identifier has no organisation', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(organisationOf('job', text)).toBeUndefined()));
  });

  test.each([
    ['no characters', ''],
    ['only a kind', 'job'],
    ['no unique part', 'job-acme0001-'],
    ['a unique part that could be guessed', 'job-acme0001-0123456789abcdef01234'],
    ['a unique part that is too long', `job-acme0001-${'0'.repeat(65)}`],
    ['a short tag', `job-acme001-${unique}`],
    ['a tag in upper case', `job-ACME0001-${unique}`],
    ['a kind in upper case', `JOB-acme0001-${unique}`],
    ['a trailing line break', `job-acme0001-${unique}\n`],
    ['a leading space', ` job-acme0001-${unique}`],
    ['an MQTT wildcard', `job-acme0001-${unique.slice(1)}+`],
    ['a slash', `job-acme0001/${unique}`],
    ['percent-encoding', `job-acme0001-${unique}%00`],
    ['non-ASCII letters', `job-acme0001-${unique.slice(1)}é`],
    ['a property name of objects', '__proto__'],
  ])('text with %s is not an identifier', (_, text) => {
    expect(organisationOf('job', text)).toBeUndefined();
  });

  test('the public identifier of an organisation has the prefix org-', () => {
    expect(organisationId('7k2m9qx4')).toBe('org-7k2m9qx4');
  });
});

describe('Page token', () => {
  const list = 'jobs acme0001 PENDING';
  const encode = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const refused = { code: 'invalid_request', details: [{ path: 'nextToken', message: 'is not a token of this list' }] };

  test('a token is read as the identifier that it was made for', () => {
    fc.assert(
      fc.property(fc.string(), fc.stringMatching(/^[0-9a-zA-Z-]{1,128}$/), (name, after) => {
        expect(readPageToken(name, pageToken(name, after))).toBe(after);
      }),
    );
  });

  test('a token needs no URL encoding', () => {
    expect(pageToken(list, id('job'))).toMatch(/^[\w-]+$/);
  });

  test.each(['jobs acme0001 QUEUED', 'jobs acme0001', 'jobs rival001 PENDING', 'shares acme0001'])(
    'a token of the list "%s" is refused',
    (other) => {
      expect(refusalOf(() => readPageToken(list, pageToken(other, id('job'))))).toMatchObject(refused);
    },
  );

  test('a truncated token is refused', () => {
    const token = pageToken(list, id('job'));
    for (let length = 0; length < token.length - 1; length++)
      expect(refusalOf(() => readPageToken(list, token.slice(0, length)))).toMatchObject(refused);
  });

  test.each([
    ['an empty identifier', encode([list, ''])],
    ['an identifier with a lone surrogate', encode([list, '\ud800'])],
    ['an identifier that is longer than a key may be', encode([list, 'a'.repeat(2000)])],
    ['an object in place of the identifier', encode([list, { S: 'x' }])],
    ['a third element', encode([list, id('job'), 1])],
    ['no list', encode(id('job'))],
    ['null', encode(null)],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe]).toString('base64url')],
  ])('a forged token with %s is refused', (_, token) => {
    expect(refusalOf(() => readPageToken(list, token))).toMatchObject(refused);
  });

  test('any other text is refused as invalid_request', () => {
    fc.assert(
      fc.property(fc.string(), (text) => expect(refusalOf(() => readPageToken(list, text))).toMatchObject(refused)),
    );
  });
});

const now = 1_795_775_400_000;

describe('withSeat', () => {
  const mine = callSeat(now + 20_000, 'mine');
  const ending = (ms: number, id: string) => callSeat(now + ms, id);

  test.each<[string, string[], string[] | undefined]>([
    ['takes a free seat', [ending(1, 'a')], [ending(1, 'a'), mine]],
    ['replaces the seat of a call that has ended', [ending(0, 'a'), ending(1, 'b')], [ending(1, 'b'), mine]],
    ['takes its own seat again', [ending(9, 'a'), mine], [ending(9, 'a'), mine]],
    ['finds none when the calls of all go on', [ending(1, 'a'), ending(20_000, 'b')], undefined],
    ['replaces what is no seat', ['', 'nonsense'], [mine]],
    ['replaces seats of a wrong clock', [ending(60_001, 'a'), 'Infinity b', '1e400 c', '0x7fffffffffffffff d'], [mine]],
    ['finds none when the calls of all last as long as one may', [ending(60_000, 'a'), ending(1, 'b')], undefined],
  ])('%s', (_, taken, after) => {
    const found = withSeat(new Set(taken), mine, 2, now);
    expect(found && [...found]).toEqual(after);
  });
});

describe('Creator', () => {
  test.each([
    ['noted as this client', 'a', false, 'own'],
    ['noted as this client, the only one', 'a', true, 'own'],
    ['noted as another client', 'b', false, 'another'],
    ['noted as a client that was offboarded since', 'b', true, 'another'],
    ['not noted, of an only client', undefined, true, 'own'],
    ['not noted, of one of several clients', undefined, false, 'unknown'],
  ])('what is %s is of the origin that is known', (_, createdBy, isOnlyClient, origin) => {
    expect(findOrigin(createdBy, 'a', isOnlyClient)).toBe(origin);
  });
});

describe('Destination', () => {
  const at = (...coordinates: [number, number, number?]) => ({ type: 'Point' as const, coordinates });
  const place = at(8.5417, 47.3769);

  test.each<[string, Destination, string | undefined]>([
    ['nothing', {}, undefined],
    ['a mission', { missionId: 'mission-42' }, undefined],
    ['a location', { desiredLocation: place }, 'HOVER'],
    ['a location and a mission', { desiredLocation: place, missionId: 'mission-42' }, 'MISSION'],
    ['an action', { desiredLocation: place, actionOnArrival: 'ORBIT' }, 'ORBIT'],
  ])('%s means the action %s', (_, destination, action) => {
    expect(meantAction(destination)).toBe(action);
    expect(whyNotFlown(destination)).toBeUndefined();
  });

  test.each<[string, Destination, string]>([
    ['HOVER without a location', { actionOnArrival: 'HOVER' }, 'desiredLocation'],
    ['HOVER with a mission', { desiredLocation: place, actionOnArrival: 'HOVER', missionId: 'm' }, 'missionId'],
    ['a radius without ORBIT', { desiredLocation: place, flight: { orbitRadius: 30 } }, 'flight.orbitRadius'],
    ['ORBIT without a location', { actionOnArrival: 'ORBIT' }, 'desiredLocation'],
    ['ORBIT with a mission', { desiredLocation: place, actionOnArrival: 'ORBIT', missionId: 'm' }, 'missionId'],
    ['MISSION without a mission', { desiredLocation: place, actionOnArrival: 'MISSION' }, 'missionId'],
    [
      'a radius with MISSION',
      { missionId: 'm', actionOnArrival: 'MISSION', flight: { orbitRadius: 9 } },
      'flight.orbitRadius',
    ],
    [
      'a hold with MISSION',
      { missionId: 'm', actionOnArrival: 'MISSION', flight: { holdSeconds: 9 } },
      'flight.holdSeconds',
    ],
    ['an altitude and a height', { desiredLocation: at(8.5, 47.4, 520), flight: { height: 40 } }, 'flight.height'],
    ['a flight to nowhere', { flight: { height: 40 } }, 'flight'],
    ['the zero value of a place', { desiredLocation: at(0, 0) }, 'desiredLocation.coordinates'],
  ])('%s is refused with the path', (_, destination, path) => {
    expect(whyNotFlown(destination)?.details.map((detail) => detail.path)).toEqual([path]);
  });

  test('a job says the action that its request means', () => {
    const request = jobRequest.parse({ name: 'Alarm', deviceGroupId: 'group-1', desiredLocation: place });
    expect(newJob(request, 'job-1', '2026-11-27T10:00:00.000Z')).toMatchObject({ actionOnArrival: 'HOVER' });
  });
});

test.each([
  [-179.99, 179.99, 180.01],
  [179.99, -179.99, -180.01],
  [8.5, 8.4, 8.5],
  [-90, 89, -90],
  [179, 541, 539],
])('%d beside %d is %d', (longitude, other, expected) => {
  expect(longitudeBeside(longitude, other)).toBeCloseTo(expected, 9);
});
