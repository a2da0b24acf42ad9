import {
  isOver,
  newLease,
  whyLeaseRefuses,
  whyLeaseStays,
  type ControlLease,
} from '../../../domain/commands/control-lease';
import type { Refusal } from '../../../domain/values/refusal';

const now = '2026-11-27T10:30:15.123Z';
const until = '2026-11-27T10:31:15.123Z';
const lease = (origin: ControlLease['origin'], heldBy: string, change: Partial<ControlLease> = {}): ControlLease => ({
  origin,
  heldBy,
  until,
  ...change,
});

const holders = {
  nobody: undefined,
  'the client itself': lease('partner', 'client-1'),
  'another client': lease('partner', 'client-2'),
  'the viewer itself': lease('share', 'viewer-1'),
  'another viewer': lease('share', 'viewer-2'),
  'another client, until now': lease('partner', 'client-2', { until: now }),
  'another viewer, until now': lease('share', 'viewer-2', { until: now }),
} as const;
const askers = {
  'a client': { origin: 'partner', requestedBy: 'client-1' },
  'a viewer': { origin: 'share', requestedBy: 'viewer-1' },
  'the service': { origin: 'service' },
} as const;
type Holder = keyof typeof holders;
type Asker = keyof typeof askers;

/** RESUME, GO_TO, names of before and of the platform's own: all commands that are not named here are like them. */
const ordinary = ['RESUME', 'GO_TO', 'ORBIT', 'LOOK_AT', 'GIMBAL', 'TAKE_PHOTO', 'START_RECORDING', 'x-drop', 'HOVER'];
const kinds = {
  ordinary,
  LAND: ['LAND'],
  PAUSE: ['PAUSE'],
  RETURN_HOME: ['RETURN_HOME'],
} as const;

const [client, viewer] = [`is held by client-2 until ${until}`, `the device is held by the partner until ${until}`];
const other = `the device is held by another viewer until ${until}`;
const all = { ordinary: undefined, LAND: undefined, lease: undefined };
/** Why a command of a kind is refused, and the taking and ending of the lease; PAUSE and RETURN_HOME never are. */
const expected: Record<Asker, Record<Holder, Record<'ordinary' | 'LAND' | 'lease', string | undefined>>> = {
  'a client': {
    nobody: all,
    'the client itself': all,
    'another client': { ordinary: client, LAND: undefined, lease: client },
    'the viewer itself': all,
    'another viewer': all,
    'another client, until now': all,
    'another viewer, until now': all,
  },
  'a viewer': {
    nobody: all,
    'the client itself': { ordinary: viewer, LAND: viewer, lease: viewer },
    'another client': { ordinary: viewer, LAND: viewer, lease: viewer },
    'the viewer itself': all,
    'another viewer': { ordinary: other, LAND: other, lease: other },
    'another client, until now': all,
    'another viewer, until now': all,
  },
  'the service': {
    nobody: all,
    'the client itself': all,
    'another client': all,
    'the viewer itself': all,
    'another viewer': all,
    'another client, until now': all,
    'another viewer, until now': all,
  },
};

const inForce = (holder: Holder) => {
  const held = holders[holder];
  return held && !isOver(held, now) ? held : undefined;
};
const messageOf = (refusal: Refusal | undefined) => {
  expect(refusal?.code).toBe(refusal && 'held_by');
  return refusal?.details[0]?.message;
};

const cases = (Object.keys(askers) as Asker[]).flatMap((asker) =>
  (Object.keys(holders) as Holder[]).map((holder) => [asker, holder] as const),
);

describe.each(cases)('of %s, while the device is held by %s,', (asker, holder) => {
  const [asking, held] = [askers[asker], inForce(holder)];
  const reasons = expected[asker][holder];

  test.each((Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) => kinds[kind].map((name) => [name, kind])))(
    '%s is refused or not as a command of the kind %s',
    (name, kind) => {
      const reason = kind === 'ordinary' || kind === 'LAND' ? reasons[kind] : undefined;
      expect(messageOf(whyLeaseRefuses(asking, name, held))).toBe(reason);
    },
  );

  test('the lease can be taken and ended or not', () => {
    expect(messageOf(whyLeaseStays(asking, held))).toBe(reasons.lease);
  });
});

test('a client and a viewer of one name are two', () => {
  expect(whyLeaseRefuses({ origin: 'share', requestedBy: 'one' }, 'GO_TO', lease('partner', 'one'))?.code).toBe(
    'held_by',
  );
});

test.each([
  ['a partner the identifier of the device', 'partner', 'deviceId'],
  ['a viewer, whose messages name no device, nothing', 'share', ''],
] as const)('names %s', (_, origin, path) => {
  const refusal = whyLeaseStays({ origin, requestedBy: 'one' }, lease('partner', 'client-2'));
  expect(refusal?.details.map((detail) => detail.path)).toEqual([path]);
});

test('lasts a minute', () => {
  expect(newLease({ origin: 'partner', heldBy: 'client-1' }, now)).toEqual(lease('partner', 'client-1'));
});

test.each([
  ['2026-11-27T10:31:15.122Z', false],
  [until, true],
  ['2026-11-27T10:31:15.124Z', true],
])('is over at %s: %s', (at, over) => {
  expect(isOver(lease('partner', 'client-1'), at)).toBe(over);
});
