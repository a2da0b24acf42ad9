import { type Device, deviceRecord, type DeviceGroup, groupDevices } from '../../../domain/fleet/device';
import { decide, faultIn, type KnownDevice, type NamedJob } from '../../../domain/fleet/sample-decision';
import { isReportDue, isUnsaved, decideSaving, waitForTurn } from '../../../domain/fleet/state-saving';
import { offlineAfter } from '../../../domain/fleet/offline';
import { type DeviceState, type Sample, withoutNullIsland } from '../../../domain/telemetry/sample';
import { acme, id, rival } from '../fixtures/samples';

describe('Fleet', () => {
  const group = (deviceGroupId: string): DeviceGroup => ({ deviceGroupId, name: 'Quarry', description: '' });
  const device = (deviceId: string, deviceGroupId: string): Device => ({
    deviceId,
    deviceGroupId,
    name: 'Kestrel',
    status: 'online',
    version: 1,
  });

  test('each group has its devices in the order of the input, with their number', () => {
    const devices = [device('d3', 'g1'), device('d1', 'g2'), device('d2', 'g1')];
    const grouped = groupDevices([group('g2'), group('g1')], devices);
    expect(
      grouped.map((each) => [each.deviceGroupId, each.deviceCount, each.devices.map(({ deviceId }) => deviceId)]),
    ).toEqual([
      ['g2', 1, ['d1']],
      ['g1', 2, ['d3', 'd2']],
    ]);
  });

  test('a group without devices has an empty list', () => {
    expect(groupDevices([group('g1')], [])).toEqual([{ ...group('g1'), deviceCount: 0, devices: [] }]);
  });

  test('a device whose group does not exist is left out', () => {
    expect(groupDevices([group('g1')], [device('d1', 'g2')])[0]?.devices).toEqual([]);
  });
});

describe('Sample decision', () => {
  const now = new Date('2026-11-27T10:30:00.000Z');
  const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
  const deviceId = id('device');
  const jobId = id('job');
  const position = { type: 'Point' as const, coordinates: [8.5, 47.4, 480] as [number, number, number] };
  const sample = (seconds: number, change: Partial<Sample> = {}): Sample => ({
    deviceId,
    timestamp: at(seconds),
    droneState: 'WAYPOINT',
    navigation: { position },
    jobId,
    ...change,
  });
  /** A device that flies since a minute, after its last sample. */
  const flying = (last: Partial<Sample> = {}, change: Partial<Device> = {}): Device =>
    deviceRecord.parse({
      deviceId,
      deviceGroupId: id('group'),
      name: 'Kestrel',
      status: 'online',
      savedAt: at(-1),
      reportedAt: at(-1),
      takeOff: { timestamp: at(-60), altitude: 440 },
      lastState: sample(-1.5, last),
      ...change,
    });
  const running = (change: Partial<NamedJob> = {}): NamedJob => ({
    jobId,
    status: 'IN_PROGRESS',
    // Says the platform, whose clock is a minute ahead.
    times: { startedAt: at(-50 + 60) },
    ...change,
  });
  const jobsOf = (...jobs: NamedJob[]) => new Map(jobs.map((each) => [each.jobId, each]));
  /** Who gets which of the samples at so many seconds: followers, the record of the job, that of the device. */
  const outcome = (known: KnownDevice, samples: readonly Sample[], job = running()) => {
    const { news, entries } = decide(known, samples, jobsOf(job), now);
    const seconds = (all: readonly { readonly timestamp: string }[]) =>
      all.map(({ timestamp }) => (Date.parse(timestamp) - now.getTime()) / 1000);
    const recorded = (kind: string) => seconds(entries.filter((each) => each.kind === kind).map(({ point }) => point));
    return { news: seconds(news), job: recorded('job'), device: recorded('device') };
  };

  describe('decide', () => {
    test.each<[string, Sample[], ReturnType<typeof outcome>]>([
      ['a sample of the next second', [sample(0)], { news: [0], job: [0], device: [0] }],
      ['the sample that is saved', [sample(-1.5)], { news: [], job: [-1.5], device: [-1.5] }],
      ['one of the same second as the saved one', [sample(-1.2)], { news: [-1.2], job: [], device: [] }],
      ['an earlier one of the same second', [sample(-1.7)], { news: [], job: [-1.7], device: [-1.7] }],
      ['a late one', [sample(-20)], { news: [], job: [-20], device: [-20] }],
      ['one of before the flight', [sample(-70)], { news: [], job: [], device: [] }],
      ['one of before the job', [sample(-55)], { news: [], job: [], device: [-55] }],
      [
        'three of a second, in any order',
        [2.9, 2.1, 2.5].map((s) => sample(s)),
        { news: [2.1, 2.5, 2.9], job: [2.1], device: [2.1] },
      ],
      ['one without a position', [sample(0, { navigation: {} })], { news: [0], job: [], device: [] }],
      ['one without a job, in flight', [sample(0, { jobId: undefined })], { news: [0], job: [0], device: [0] }],
      [
        'a landing without a job',
        [sample(0, { jobId: undefined, droneState: 'LANDED' })],
        { news: [0], job: [], device: [] },
      ],
      [
        'one of another job',
        [sample(0, { jobId: id('job', acme, 'x'.repeat(26)) })],
        { news: [0], job: [], device: [0] },
      ],
      ['a landing', [sample(0, { droneState: 'LANDED' })], { news: [0], job: [0], device: [] }],
      ['a repetition in the list', [sample(0), sample(0)], { news: [0], job: [0], device: [0] }],
    ])('of %s', (_, samples, expected) => {
      expect(outcome({ device: flying() }, samples)).toEqual(expected);
    });

    test.each<[string, NamedJob | undefined, number[]]>([
      ['has not begun', running({ status: 'QUEUED', times: {} }), [-55, 0]],
      ['has ended', running({ status: 'COMPLETED', times: { startedAt: at(-50 + 60), endedAt: at(-1 - 60) } }), []],
      ['never began', running({ status: 'CANCELLED', times: { endedAt: at(-1) } }), []],
      ['was deleted', undefined, []],
      ['may still be running', running(), [0]],
    ])('records positions of a job that %s', (_, job, expected) => {
      expect(outcome({ device: flying() }, [sample(-55), sample(0)], job ?? running({ jobId: 'another' })).job).toEqual(
        expected,
      );
    });

    test('takes what was before the flight for less than its first position, as soon as that is known', () => {
      const since = (job: NamedJob) => decide({ device: flying() }, [sample(0)], jobsOf(job), now).entries[0]?.since;
      expect(since(running())).toBe(at(-50));
      expect(since(running({ status: 'QUEUED', times: {} }))).toBeUndefined();
    });

    test('counts the latest sample that was accepted, though it is not saved', () => {
      const known = { device: flying(), latest: sample(-0.4) };
      expect(outcome(known, [sample(-0.5), sample(-0.3), sample(0.2)])).toEqual({
        news: [-0.3, 0.2],
        job: [-0.5, 0.2],
        device: [-0.5, 0.2],
      });
    });

    test.each([
      ['nothing to report again', flying({}, { reportedAt: at(-0.5) }), 'nothing'],
      ['a report of a device that has been silent', flying(), 'report'],
      ['a report of an offline device', flying({}, { status: 'offline' }), 'report'],
    ])('makes of late samples %s', (_, known, kind) => {
      expect(decide({ device: known }, [sample(-5)], jobsOf(running()), now).saving.kind).toBe(kind);
    });
  });

  describe('faultIn', () => {
    test.each([
      ['of the device', {}, undefined],
      ['a minute ahead', { timestamp: at(60) }, undefined],
      ['more than a minute ahead', { timestamp: at(60.001) }, ['timestamp', 'is more than 60 seconds in the future']],
      ['of a foreign job', { jobId: id('job', rival) }, ['jobId', 'is not a job of yours']],
      ['of a job that was deleted', { jobId: id('job', acme, 'x'.repeat(26)) }, undefined],
      ["of a job by a name of the platform's", { jobId: 'mission 7' }, undefined],
      ['without a job', { jobId: undefined }, undefined],
    ])('of a sample %s (%j) is %j', (_, change, expected) => {
      const fault = faultIn(sample(0, change), flying(), jobsOf(running()), now);
      expect(fault && [fault.path, fault.message]).toEqual(expected);
    });

    test.each<[string, Partial<NamedJob>, string | undefined]>([
      ['of this device', { deviceId }, undefined],
      ['of another device', { deviceId: id('device', acme, 'x'.repeat(26)) }, 'is the job of another device'],
      ['that ended 24 hours ago', { times: { endedAt: at(-86_400) } }, undefined],
      [
        'that ended more than 24 hours ago',
        { times: { endedAt: at(-86_401) } },
        'is a job that ended more than 24 hours ago',
      ],
    ])('of a sample of a job %s (%j) is %j', (_, change, message) => {
      expect(faultIn(sample(0), flying(), jobsOf(running(change)), now)?.message).toBe(message);
    });

    test('of a sample of a device that is not known', () => {
      expect(faultIn(sample(0), undefined, new Map(), now)?.message).toBe('is not a device of yours');
    });
  });

  test.each([
    ['0, 0', [0, 0, 12], undefined],
    ['the equator', [8.5, 0, 12], [8.5, 0, 12]],
    ['the prime meridian', [0, 51.5, 12], [0, 51.5, 12]],
  ] as [string, [number, number, number], unknown][])('a position at %s', (_, coordinates, expected) => {
    const velocity = { groundSpeed: 3 };
    const reported = sample(0, { navigation: { position: { type: 'Point', coordinates }, velocity } });
    const { navigation } = withoutNullIsland(reported);
    expect(navigation?.position?.coordinates).toEqual(expected);
    expect(navigation?.velocity).toEqual(velocity);
  });
});

describe('State saving', () => {
  const now = new Date('2026-11-27T10:30:00.500Z');
  const after = (ms: number) => new Date(now.getTime() + ms).toISOString();
  const state = { timestamp: '2026-11-27T10:30:00.123Z', droneState: 'HOVER', sensorPayload: { gas: { ch4: 1.9 } } };
  const stored = (change: object = {}): Device =>
    deviceRecord.parse({
      deviceId: id('device'),
      deviceGroupId: id('group'),
      name: 'Kestrel',
      status: 'online',
      savedAt: now.toISOString(),
      lastState: state,
      ...change,
    });

  /** Why these states are written, or what becomes of them else. */
  const reasonOf = (known: Device, ...states: DeviceState[]) => {
    const saving = decideSaving(known, states, { state, flight: {} }, now);
    return saving.kind === 'write' ? saving.reason : saving.kind;
  };

  describe('A state of a device in motion', () => {
    test.each([
      ['was never written', { savedAt: undefined }, 'due'],
      ['was written half a second ago', { savedAt: '2026-11-27T10:30:00.000Z' }, 'due'],
      ['was written less than half a second ago', { savedAt: '2026-11-27T10:30:00.001Z' }, 'wait'],
      ['was written just now', {}, 'wait'],
      ['is offline and was written just now', { status: 'offline' }, 'due'],
    ])('that %s (%j) is %s', (_, change, reason) => {
      expect(reasonOf(stored(change), state)).toBe(reason);
    });

    test.each([
      ['another droneState', { ...state, droneState: 'LANDED' }, 'transition'],
      ['another dockState', { ...state, dockState: 'OPEN' }, 'transition'],
      ['another job', { ...state, jobId: id('job') }, 'transition'],
      ['another position', { ...state, navigation: { velocity: { groundSpeed: 3 } } }, 'wait'],
      ['fewer fields than the stored state', { timestamp: state.timestamp }, 'wait'],
    ])('with %s within a second and %j is %s', (_, sample, reason) => {
      expect(reasonOf(stored(), sample)).toBe(reason);
    });

    test('is a transition when any of the states before it is one', () => {
      expect(reasonOf(stored(), { ...state, droneState: 'LANDED' }, { timestamp: state.timestamp })).toBe('transition');
    });

    test('is written at once for five transitions within a second', () => {
      const transition = { ...state, droneState: 'LANDED' };
      expect(reasonOf(stored({ transitions: 4 }), transition)).toBe('transition');
      expect(reasonOf(stored({ transitions: 5 }), transition)).toBe('wait');
      expect(reasonOf(stored({ transitions: 5, savedAt: '2026-11-27T10:29:59.500Z' }), transition)).toBe('due');
    });
  });

  const dock = [8.541694, 47.376887, 408.3] as const;
  /** A state at rest: so many metres to the north and higher, with so many percent. */
  const resting = (north: number, up = 0, percent = 81, change: object = {}): DeviceState => ({
    timestamp: state.timestamp,
    droneState: 'DOCKED',
    dockState: 'CLOSED',
    navigation: { position: { type: 'Point', coordinates: [dock[0], dock[1] + north / 111_195, dock[2] + up] } },
    battery: { percent },
    ...change,
  });

  describe('A state of a device at rest', () => {
    test.each([
      ['the same', resting(0), 'keep'],
      ['landed', { ...resting(0), droneState: undefined }, 'keep'],
      ['4.9 m away', resting(4.9), 'keep'],
      ['5.1 m away', resting(5.1), 'due'],
      ['4 m away and 4 m higher', resting(4, 4), 'due'],
      ['with a percent less', resting(0, 0, 80), 'keep'],
      ['with 1.1 percent less', resting(0, 0, 79.9), 'due'],
      ['without a position and a battery', { timestamp: state.timestamp, droneState: 'DOCKED' }, 'keep'],
      ['with sensors', resting(0, 0, 81, { sensorPayload: { gas: 2 } }), 'keep'],
      ['with weather for the first time', resting(0, 0, 81, { weather: { rain: 1 } }), 'due'],
      ['in flight', resting(0, 0, 81, { droneState: 'HOVER' }), 'due'],
      ['with another dock state', resting(0, 0, 81, { dockState: 'OPEN' }), 'due'],
      ['that names a job', resting(0, 0, 81, { jobId: id('job') }), 'due'],
    ])('%s, a second after the last write, becomes %j: %s', (_, next, reason) => {
      const known = stored({ savedAt: after(-1000), lastState: resting(0) });
      expect(reasonOf(known, JSON.parse(JSON.stringify(next)) as DeviceState)).toBe(reason);
    });

    test.each([
      ['was saved 9,499 ms ago', { savedAt: after(-9499) }, 'keep'],
      ['was saved 9.5 s ago, which is its turn', { savedAt: after(-9500) }, 'due'],
      ['was never saved', { savedAt: undefined }, 'due'],
      ['is offline', { status: 'offline' }, 'due'],
      ['was saved with a job', { savedAt: after(-600), lastState: resting(0, 0, 81, { jobId: id('job') }) }, 'due'],
      ['was saved without a position', { savedAt: after(-600), lastState: { ...resting(0), navigation: {} } }, 'due'],
      ['was saved without a battery', { savedAt: after(-600), lastState: { ...resting(0), battery: {} } }, 'due'],
      ['flew when it was saved', { savedAt: after(-600), lastState: state }, 'due'],
    ])('that %s (%j) is %s', (_, change, reason) => {
      expect(reasonOf(stored({ lastState: resting(0), ...change }), resting(0))).toBe(reason);
    });

    test('is written when a state before it was another', () => {
      const known = stored({ savedAt: after(-600), lastState: resting(0) });
      expect(reasonOf(known, resting(20), resting(0))).toBe('due');
    });
  });

  test.each([
    ['was never written', { savedAt: undefined }, 0],
    ['is offline', { status: 'offline', savedAt: after(-700) }, 0],
    ['was written a second ago', { savedAt: after(-1000) }, 0],
    ['was written 700 ms ago, so it is ahead of its turn', { savedAt: after(-700) }, 300],
    ['was written 500 ms ago, the earliest that counts as its turn', { savedAt: after(-500) }, 500],
    ['rests and was written 9.7 s ago', { savedAt: after(-9700), lastState: resting(0) }, 300],
  ])('the state of a device that %s (%j) is saved as that of %d ms from now', (_, change, ms) => {
    const known = stored(change);
    const next = known.lastState?.droneState === 'DOCKED' ? resting(0) : state;
    expect(decideSaving(known, [next], { state, flight: {} }, now)).toMatchObject({
      kind: 'write',
      savedAt: after(ms),
    });
  });

  test('what is written is what is known then', () => {
    const flight = { takeOff: { timestamp: '2026-11-27T10:20:00.000Z' } };
    const saving = decideSaving(stored({ savedAt: after(-1000) }), [state], { state, flight }, now);
    expect(saving).toMatchObject({ kind: 'write', state, flight });
  });

  test.each([
    ['in flight', { droneState: 'HOVER' }, 30_000],
    ['of an unknown state', {}, 30_000],
    ['landed', { droneState: 'LANDED' }, 40_000],
    ['landed for a job', { droneState: 'LANDED', jobId: id('job') }, 30_000],
  ])('a device %s (%j) is offline %d ms after its last save', (_, change, ms) => {
    expect(offlineAfter(stored({ lastState: { timestamp: state.timestamp, ...change } }))).toBe(ms);
  });

  test.each([
    ['never reported', { reportedAt: undefined }, true],
    ['is offline', { status: 'offline', reportedAt: after(-1) }, true],
    ['reported 999 ms ago', { reportedAt: after(-999) }, false],
    ['reported a second ago', { reportedAt: after(-1000) }, true],
  ])('of a device that %s (%j) a report without a new state is recorded: %j', (_, change, expected) => {
    expect(isReportDue(stored(change), now)).toBe(expected);
  });

  test.each([
    ['a later state', stored(), after(-376), true],
    ['the saved state itself', stored(), state.timestamp, false],
    ['an earlier state', stored(), after(-2000), false],
    ['a device that was registered again', stored({ lastState: undefined }), after(0), false],
    ['a device that was removed', undefined, after(0), false],
  ])('%s is unsaved: %#', (_, known, timestamp, expected) => {
    expect(isUnsaved(known, { timestamp })).toBe(expected);
  });

  test.each([
    ['just after the last write', 0, 0, 1100],
    ['800 ms after it, so that the newest of several is first', 800, 0, 220],
    ['long after it', 5000, 0, 0],
    ['800 ms after it, and is looked at 150 ms later', 800, 150, 70],
  ])('a state that came %s waits for its turn', (_, sinceSaved, lookedAtAfter, ms) => {
    const at = after(0);
    expect(waitForTurn(stored({ savedAt: after(-sinceSaved) }), at, new Date(after(lookedAtAfter)))).toBe(ms);
  });
});
