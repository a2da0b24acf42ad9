import { commandNames, type Command } from '../../../domain/commands/command';
import {
  type ControlLease,
  isOver,
  newLease,
  whyLeaseRefuses,
  whyLeaseStays,
} from '../../../domain/commands/control-lease';
import type { Device, DeviceCapabilities } from '../../../domain/fleet/device';
import { expectParameters, commandedJob, whyNotCommanded, type Circumstances } from '../../../domain/commands/steering';
import { id, refusalOf, sampleDevice } from '../fixtures/samples';
import type { Refusal } from '../../../domain/values/refusal';

const at = '2026-11-27T10:30:00.000Z';
const takeOff = { timestamp: at };
const flying = (change: Partial<Device> = {}): Device =>
  sampleDevice({ lastState: { timestamp: at, droneState: 'WAYPOINT', jobId: id('job') }, takeOff, ...change });
const standing = (droneState: string): Device => sampleDevice({ lastState: { timestamp: at, droneState } });
/** A device that said so many seconds before its last report that it stands. */
const saidBefore = (seconds: number): Device =>
  sampleDevice({ lastState: { timestamp: at, droneState: 'DOCKED', measuredBefore: { droneState: seconds } } });
const unknown = sampleDevice();
const other = id('job', undefined, '01jd0000000000000000000009');
const open = { status: 'IN_PROGRESS' } as const;
const queued = { status: 'QUEUED' } as const;
const ended = { status: 'COMPLETED' } as const;
const ofOther = { ...open, jobId: other, deviceId: id('device', undefined, '01jd0000000000000000000009') };

const onGround = ['name', 'the device is on the ground'];
const notInFlight = ['name', 'the device is not in flight, as far as it reported'];
const notItsJob = ['jobId', 'is not flown by this device'];
const ends = (name: string) => [
  'name',
  `${name} has not ended: it can be paused, resumed, or turned into LAND or RETURN_HOME`,
];

type Case = [what: string, name: string, circumstances: Partial<Circumstances>, expected: string[] | undefined];
const cases: Case[] = [
  ['in flight', 'PAUSE', {}, undefined],
  ['in flight', 'GO_TO', {}, undefined],
  ['in flight', 'x-drop', {}, undefined],
  [
    'in flight after its job is over',
    'GO_TO',
    { device: flying({ lastState: { timestamp: at, droneState: 'HOVER' } }) },
    undefined,
  ],
  [
    'flown by hand',
    'RETURN_HOME',
    { device: flying({ lastState: { timestamp: at, droneState: 'MANUAL' } }) },
    undefined,
  ],
  ['that said a minute ago that it stands', 'LAND', { device: saidBefore(60) }, onGround],
  ['that said it before, and goes on reporting', 'LAND', { device: saidBefore(61) }, undefined],
  ['that said it before, and goes on reporting', 'RETURN_HOME', { device: saidBefore(61) }, undefined],
  ['that said it before, and goes on reporting', 'GO_TO', { device: saidBefore(61) }, notInFlight],
  ['that never reported', 'RETURN_HOME', { device: unknown }, undefined],
  ['that never reported', 'LAND', { device: unknown }, undefined],
  ['that never reported', 'PAUSE', { device: unknown }, notInFlight],
  ['whose state says nothing', 'GIMBAL', { device: standing('SPINNING') }, notInFlight],
  ...['LANDED', 'DOCKED'].flatMap((state): Case[] =>
    ['RETURN_HOME', 'LAND', 'PAUSE', 'TAKE_PHOTO', 'x-drop'].map((name) => [
      `that is ${state}`,
      name,
      { device: standing(state) },
      onGround,
    ]),
  ),
  ['by its job', 'PAUSE', { job: { ...open, jobId: id('job'), deviceId: id('device') } }, undefined],
  [
    'by a job without a device that it flies',
    'PAUSE',
    { job: { ...open, jobId: id('job'), deviceId: undefined } },
    undefined,
  ],
  [
    'by a job without a device that it does not fly',
    'PAUSE',
    { job: { ...open, jobId: other, deviceId: undefined } },
    notItsJob,
  ],
  ["by another device's job", 'PAUSE', { job: ofOther }, notItsJob],
  ["by another device's job", 'RETURN_HOME', { job: ofOther }, undefined],
  ["by another device's job", 'LAND', { job: ofOther }, undefined],
  ...['RETURN_HOME', 'LAND'].flatMap((ending): Case[] => [
    ...['PAUSE', 'RESUME', 'LAND', 'RETURN_HOME'].map((name): Case => [
      `during ${ending}`,
      name,
      { ending },
      undefined,
    ]),
    ...['GO_TO', 'ORBIT', 'TAKE_PHOTO', 'x-drop'].map((name): Case => [
      `during ${ending}`,
      name,
      { ending },
      ends(ending),
    ]),
  ]),
  ...[standing('LANDED'), standing('DOCKED'), standing('SPINNING'), unknown].flatMap((device): Case[] => {
    const circumstances = { device, mayHaveTakenOff: true };
    const { droneState } = device.lastState ?? {};
    const what = `that was ${droneState ?? 'silent'} and whose job was begun since`;
    const refused = droneState === 'LANDED' || droneState === 'DOCKED' ? onGround : notInFlight;
    return [
      ...['RETURN_HOME', 'LAND', 'PAUSE'].map((name): Case => [what, name, circumstances, undefined]),
      ...['RESUME', 'GO_TO', 'TAKE_PHOTO', 'x-drop'].map((name): Case => [what, name, circumstances, refused]),
    ];
  }),
  ['on the ground, by a name of before', 'HOVER', { device: standing('DOCKED') }, undefined],
];

const requester = { origin: 'partner', requestedBy: 'client1' } as const;
const ordinary = {
  device: flying(),
  job: undefined,
  ending: undefined,
  requester,
  lease: undefined,
  mayHaveTakenOff: false,
};

test.each(cases)('of a device %s: %s', (_, name, change, expected) => {
  const refusal = whyNotCommanded(name, { ...ordinary, ...change });
  expect(refusal?.code).toBe(expected && 'cannot_command');
  expect(refusal?.details.map(({ path, message }) => [path, message])).toEqual(expected && [expected]);
});

const lease: ControlLease = { origin: 'partner', heldBy: 'client2', until: '2026-11-27T10:31:00.000Z' };
test.each([
  ['GO_TO', {}, 'held_by'],
  ['GO_TO', { requester: { ...requester, requestedBy: 'client2' } }, undefined],
  ['HOVER', {}, 'held_by'],
  ['RETURN_HOME', {}, undefined],
  ['PAUSE', { device: standing('DOCKED') }, 'cannot_command'],
  ['TAKE_PHOTO', { device: standing('DOCKED') }, 'held_by'],
])('of a device that another client holds: %s', (name, change, code) => {
  expect(whyNotCommanded(name, { ...ordinary, lease, ...change })?.code).toBe(code);
});

test.each([
  ['the job that the device flies', flying(), undefined, id('job')],
  ['the job that the request names', unknown, { ...open, jobId: other, deviceId: id('device') }, other],
  ['the named job that has begun no flight yet', flying(), { ...queued, jobId: other, deviceId: id('device') }, other],
  [
    'the job that the device flies, not a named one that has ended',
    flying(),
    { ...ended, jobId: other, deviceId: id('device') },
    id('job'),
  ],
  [
    'no job when the named one has ended, of a device that flies none',
    unknown,
    { ...ended, jobId: other, deviceId: id('device') },
    undefined,
  ],
  [
    'the named job that has ended, while the device says that it flies it',
    flying({ takeOff: undefined }),
    { ...ended, jobId: id('job'), deviceId: id('device') },
    id('job'),
  ],
  ["the job that the device flies, not another device's", flying(), ofOther, id('job')],
  ['no job of a device on the ground', standing('DOCKED'), undefined, undefined],
  [
    'no job of another organisation',
    flying({ lastState: { timestamp: at, jobId: id('job', 'rival001') } }),
    undefined,
    undefined,
  ],
  ['no job of a text that is no job', flying({ lastState: { timestamp: at, jobId: 'mine' } }), undefined, undefined],
])('belongs to %s', (_, device, job, expected) => {
  expect(commandedJob({ device, job })).toBe(expected);
});

const point = (...coordinates: [number, number, number?]) => ({ type: 'Point' as const, coordinates });
const range: DeviceCapabilities = { range: { from: point(8.5, 47.4), metres: 1000 } };

const wrong: [what: string, command: Command, capabilities: DeviceCapabilities | undefined, expected: string[]][] = [
  [
    'a place beyond its range',
    { name: 'GO_TO', position: point(8.5, 47.41) },
    range,
    ['position', 'is 1112 metres from where the range of the device begins, which ends after 1000'],
  ],
  [
    'a name that it does not obey',
    { name: 'ORBIT' },
    { commands: ['PAUSE', 'LAND'] },
    ['name', "is none of this device's commands: PAUSE, LAND"],
  ],
  ['0, 0', { name: 'LOOK_AT', position: point(0, 0) }, undefined, ['position.coordinates', 'must not be 0, 0']],
  ['a gimbal that shall not move', { name: 'GIMBAL' }, undefined, ['', 'needs pitch or yaw']],
  [
    'two heights',
    { name: 'ORBIT', position: point(8.5, 47.4, 500), height: 60 },
    undefined,
    ['height', 'contradicts the altitude of position; give one of the two'],
  ],
];

test.each(wrong)('refuses %s', (_, command, capabilities, [path, message]) => {
  expect(refusalOf(() => expectParameters(command, capabilities)).details).toEqual([{ path, message }]);
});

test.each<[string, Command, DeviceCapabilities | undefined]>([
  ['a place within its range', { name: 'GO_TO', position: point(8.5, 47.408) }, range],
  ['a far place where no range is registered', { name: 'GO_TO', position: point(-120, 37) }, { commands: ['GO_TO'] }],
  ["a place of the platform's own, whatever it means", { name: 'x-drop', position: 'there' }, range],
  ...commandNames.map((name): [string, Command, DeviceCapabilities] => [
    `${name} for a device that was registered with it in another case`,
    { name, ...(name === 'GIMBAL' && { yaw: 1 }) },
    { commands: [name.toLowerCase()] },
  ]),
])('takes %s', (_, command, capabilities) => {
  expect(() => expectParameters(command, capabilities)).not.toThrow();
});

describe('A control lease', () => {
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
  const ordinary = [
    'RESUME',
    'GO_TO',
    'ORBIT',
    'LOOK_AT',
    'GIMBAL',
    'TAKE_PHOTO',
    'START_RECORDING',
    'x-drop',
    'HOVER',
  ];
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

    test.each(
      (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) => kinds[kind].map((name) => [name, kind])),
    )('%s is refused or not as a command of the kind %s', (name, kind) => {
      const reason = kind === 'ordinary' || kind === 'LAND' ? reasons[kind] : undefined;
      expect(messageOf(whyLeaseRefuses(asking, name, held))).toBe(reason);
    });

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
});
