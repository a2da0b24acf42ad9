import { deviceRecord, type Device } from '../../../domain/fleet/device';
import {
  decide,
  lateState,
  stateBeside,
  type KnownDevice,
  type NamedJob,
  type NamedJobs,
} from '../../../domain/fleet/sample-decision';
import { mergeState, type KnownState } from '../../../domain/telemetry/known-state';
import type { Sample } from '../../../domain/telemetry/sample';
import { acme, id } from '../fixtures/samples';

const now = new Date('2026-11-27T10:30:00.000Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();
const deviceId = id('device');
const jobId = id('job');
const position = { type: 'Point' as const, coordinates: [8.5, 47.4, 480] as [number, number, number] };
const part = (seconds: number, state: Partial<Sample>): Sample => ({ deviceId, timestamp: at(seconds), ...state });
const device = (lastState: KnownState | undefined, change: Partial<Device> = {}): Device =>
  deviceRecord.parse({
    deviceId,
    deviceGroupId: id('group'),
    name: 'Kestrel',
    status: 'online',
    savedAt: at(-0.2),
    reportedAt: at(-0.2),
    ...(lastState && { lastState }),
    ...change,
  });
const known: KnownState = {
  timestamp: at(-1),
  droneState: 'HOVER',
  navigation: { position },
  battery: { percent: 80 },
  jobId,
};
const job = (change: Partial<NamedJob> = {}): NamedJob => ({
  jobId,
  status: 'IN_PROGRESS',
  times: { startedAt: at(-100) },
  ...change,
});
const jobs = (...all: NamedJob[]): NamedJobs => new Map(all.map((each) => [each.jobId, each]));
const of = (samples: Sample[], more: Partial<KnownDevice> = {}, named = jobs(job())) =>
  decide({ device: device(known, { takeOff: { timestamp: at(-60) } }), ...more }, samples, named, now);
const tuples = (messages: readonly KnownState[]) => messages.map(({ timestamp, ...rest }) => [timestamp, rest]);

describe('Followers are told', () => {
  test('a part as it was published, with the job that the device is known to fly', () => {
    expect(tuples(of([part(0, { battery: { percent: 79 } })]).messages)).toEqual([
      [at(0), { battery: { percent: 79 }, jobId, measuredBefore: { jobId: 1 } }],
    ]);
    const named = part(0, { battery: { percent: 79 }, jobId, sensorPayload: { gas: 1 } });
    const { deviceId: _, ...published } = named;
    expect(of([named]).messages).toEqual([published]);
  });

  test('parts of one moment in one message, whatever their order, and of one value the first', () => {
    const parts = [{ battery: { percent: 79 } }, { weather: { rain: 1 } }, { battery: { percent: 1, voltage: 24 } }];
    const { messages, news } = of(parts.map((each) => part(0, { ...each, jobId })));
    expect(tuples(messages)).toEqual([[at(0), { battery: { percent: 79, voltage: 24 }, weather: { rain: 1 }, jobId }]]);
    expect(news).toHaveLength(3);
    // What says nothing that was not said is not accepted without a word.
    expect(of([part(0, { battery: { percent: 79 } }), part(0, { battery: { percent: 1 } })]).news).toHaveLength(1);
  });

  test.each<[what: string, late: Sample, told: object]>([
    ['of the time of the last one', part(-1, { weather: { rain: 1 } }), { weather: { rain: 1 }, jobId }],
    ['of before the last one', part(-1.5, { weather: { rain: 1 } }), { weather: { rain: 1 }, jobId }],
  ])('a part %s at once, and again with the next sample', (_, late, told) => {
    const first = of([late]);
    expect(tuples(first.messages)).toEqual([[late.timestamp, told]]);
    expect(first.news).toEqual([late]);
    expect(first.state).toMatchObject({ timestamp: known.timestamp, weather: { rain: 1 }, battery: known.battery });
    const next = decide(
      { device: device(known), latest: first.state, owed: first.owed },
      [part(0, { battery: { percent: 79 }, jobId })],
      jobs(job()),
      now,
    );
    const seconds = (now.getTime() - Date.parse(late.timestamp)) / 1000;
    expect(tuples(next.messages)).toEqual([
      [at(0), { battery: { percent: 79 }, weather: { rain: 1 }, jobId, measuredBefore: { weather: seconds } }],
    ]);
    expect(next.owed).toBeUndefined();
  });

  test.each<[what: string, sample: Sample]>([
    ['is repeated', part(-1, { battery: { percent: 80 } })],
    ['is older than what is known', part(-2, { battery: { percent: 90 }, droneState: 'ORBIT' })],
    ['says another value for one time', part(-1, { battery: { percent: 90 } })],
    ['has nothing but an old time', part(-3, {})],
    ['was measured more than an hour before', part(-3602, { weather: { rain: 1 } })],
  ])('nothing of what %s; it is neither saved nor accepted', (_, sample) => {
    const { messages, news, state, saving, owed } = of([sample]);
    expect([messages, news, owed, saving.kind]).toEqual([[], [], undefined, 'nothing']);
    expect(state).toEqual(known);
  });

  test('a sample with nothing but a later time: the device reports', () => {
    const { messages, news, state } = of([part(0, {})]);
    expect(tuples(messages)).toEqual([[at(0), { jobId, measuredBefore: { jobId: 1 } }]]);
    expect(news).toHaveLength(1);
    expect(state).toEqual(mergeState(known, { timestamp: at(0) }).state);
  });
});

test('nothing but what is late is told again: another instance may have told a later value meanwhile', () => {
  const unsaved = mergeState(known, { timestamp: at(-0.5), weather: { rain: 1 } }).state;
  const { messages } = of([part(0, { battery: { percent: 79 }, jobId })], { latest: unsaved });
  expect(tuples(messages)).toEqual([[at(0), { battery: { percent: 79 }, jobId }]]);
});

test('a landing that is told late cuts the flight, and is saved at once', () => {
  const flown = device({ timestamp: at(-1), droneState: 'HOVER' }, { takeOff: { timestamp: at(-60), altitude: 450 } });
  const landing = part(-30, { droneState: 'LANDED', navigation: { position } });
  const { saving, state } = decide({ device: flown }, [landing], jobs(), now);
  expect(saving).toMatchObject({
    kind: 'write',
    reason: 'transition',
    flight: { takeOff: { timestamp: at(-30), altitude: 480 } },
  });
  expect(state?.droneState).toBe('HOVER');
  const tooLate = { ...flown, takeOff: { timestamp: at(-4000) } };
  expect(decide({ device: tooLate }, [part(-3700, { droneState: 'LANDED' })], jobs(), now).saving.kind).toBe('nothing');
});

describe('The job of a part that names none', () => {
  const another = id('job', acme, 'x'.repeat(26));
  test.each<[what: string, sample: Sample, named: NamedJobs, expected: string | undefined]>([
    ['is the one that is known, in the air', part(0, { navigation: { position } }), jobs(job()), jobId],
    ['is another that is named', part(0, { jobId: another }), jobs(job()), another],
    ['is none once the device says that it stands', part(0, { droneState: 'LANDED' }), jobs(job()), undefined],
    ['is still the one that is named on the ground', part(0, { droneState: 'LANDED', jobId }), jobs(job()), jobId],
    [
      'is none when the job has ended',
      part(0, {}),
      jobs(job({ status: 'COMPLETED', times: { startedAt: at(-100), endedAt: at(-0.5) } })),
      undefined,
    ],
    [
      'is the one that ended after it was measured',
      part(0, {}),
      jobs(job({ status: 'COMPLETED', times: { startedAt: at(-100), endedAt: at(1) } })),
      jobId,
    ],
    [
      'is none when the job was cancelled before it began',
      part(0, {}),
      jobs(job({ status: 'CANCELLED', times: {} })),
      undefined,
    ],
    ['is none when the job was deleted', part(0, {}), new Map([[jobId, undefined]]), undefined],
    ['is the one that another instance saved, and was not looked up', part(0, {}), new Map(), jobId],
    [
      'is named all the same when the job has ended',
      part(0, { jobId }),
      jobs(job({ status: 'COMPLETED', times: { endedAt: at(-0.5) } })),
      jobId,
    ],
  ])('%s', (_, sample, named, expected) => {
    const { state, messages } = of([sample], {}, named);
    expect([state?.jobId, messages[0]?.jobId]).toEqual([expected, expected]);
  });

  test('is a name of the platform, which never ends here', () => {
    const own = device({ ...known, jobId: 'mission 7' });
    expect(decide({ device: own }, [part(0, {})], jobs(), now).state?.jobId).toBe('mission 7');
  });
});

describe('What comes late brings no job back', () => {
  const over: Partial<NamedJob> = { status: 'COMPLETED', times: { startedAt: at(-100), endedAt: at(-0.5) } };
  const flown = device({ timestamp: at(-0.2), droneState: 'HOVER' }, { takeOff: { timestamp: at(-60) } });
  test.each<[what: string, seconds: number, named: NamedJobs, expected: string | undefined]>([
    ['that is flown', -2, jobs(job()), jobId],
    ['that was not looked up', -2, jobs(), jobId],
    ['that has ended', -2, jobs(job(over)), undefined],
    ['that was deleted', -2, new Map([[jobId, undefined]]), undefined],
    ['of seconds before the take-off, from which parts may come later', -65, jobs(job()), jobId],
    ['of an earlier flight', -71, jobs(job()), undefined],
  ])('%s', (_, seconds, named, expected) => {
    const late = part(seconds, { jobId, progress: { percent: 5 }, weather: { rain: 1 } });
    const { deviceId: _id, ...state } = late;
    const decided = of([late], { device: flown }, named);
    for (const found of [lateState(state, flown, named), decided.state, decided.taken])
      expect([found?.jobId, found?.progress?.percent, found?.weather]).toEqual([expected, expected && 5, { rain: 1 }]);
  });

  test.each<[what: string, latest: KnownState, expected: string | undefined]>([
    ['of this flight', { timestamp: at(-2), jobId, battery: { percent: 7 } }, jobId],
    ['of an earlier one', { timestamp: at(-71), jobId, battery: { percent: 7 } }, undefined],
  ])('what an instance remembers %s', (_, latest, expected) => {
    expect(stateBeside(flown, latest)).toMatchObject({ droneState: 'HOVER', battery: { percent: 7 } });
    expect(stateBeside(flown, latest)?.jobId).toBe(expected);
  });
});

test('progress that waits to be saved, or is told late, says of which job it is', () => {
  const progress = { percent: 5 };
  const { taken } = of([part(0, { progress })]);
  expect(taken).toMatchObject({ progress, jobId });
  const late = of([part(-1.2, { progress, jobId })]);
  expect(late.messages).toMatchObject([{ timestamp: at(-1.2), progress, jobId }]);
  expect([late.taken, late.owed]).toMatchObject([{ jobId }, { jobId }]);
});

test('the end of a job is saved at once', () => {
  const ended = jobs(job({ status: 'COMPLETED', times: { startedAt: at(-100), endedAt: at(-0.5) } }));
  expect(of([part(0, {})], {}, ended).saving).toMatchObject({ kind: 'write', reason: 'transition' });
});

describe('The record has', () => {
  const flight = (samples: Sample[], more: Partial<KnownDevice> = {}) =>
    of(samples, more).entries.map(({ kind, point, sample }) => [
      kind,
      point.timestamp,
      point.batteryPercent,
      sample !== undefined,
    ]);

  test('a position with what was known, in the flight of its job', () => {
    expect(flight([part(5, { navigation: { position } })])).toEqual([
      ['job', at(5), 80, true],
      ['device', at(5), 80, true],
    ]);
  });

  test('a position whose other parts come apart, at one time, again with them', () => {
    const first = of([part(5, { navigation: { position } })]);
    const then = [part(5, { battery: { percent: 70 } })];
    const again = { latest: first.state, recordedAt: Date.parse(at(5)) };
    expect(flight(then, again)).toEqual([
      ['job', at(5), 70, false],
      ['device', at(5), 70, false],
    ]);
    // Also when the position is repeated with it.
    expect(flight([part(5, { navigation: { position } }), ...then], again)).toMatchObject([
      ['job', at(5), 70, false],
      ['device', at(5), 70, false],
    ]);
    // Not when that position was not the one of its interval, nor for a part of another time.
    expect(flight(then, { ...again, recordedAt: Date.parse(at(4)) })).toEqual([]);
    expect(flight([part(5.1, { battery: { percent: 70 } })], again)).toEqual([]);
  });

  test('a position that came before the drone state of its moment, in the flight that this begins', () => {
    const standing = device({ timestamp: at(-1), droneState: 'DOCKED', navigation: { position } });
    const first = decide({ device: standing }, [part(0, { navigation: { position } })], jobs(), now);
    expect(first.entries).toEqual([]);
    const then = decide({ device: standing, latest: first.state }, [part(0, { droneState: 'HOVER' })], jobs(), now);
    expect(then.entries).toMatchObject([{ kind: 'device', point: { timestamp: at(0) }, since: at(0) }]);
    expect(then.saving).toMatchObject({ kind: 'write', flight: { takeOff: { timestamp: at(0), altitude: 480 } } });
  });
});

describe('What is saved', () => {
  const rest: KnownState = {
    timestamp: at(-1),
    droneState: 'DOCKED',
    navigation: { position },
    battery: { percent: 80 },
  };
  test.each<[what: string, sample: Sample, kind: string]>([
    ['a charge alone', part(0, { battery: { percent: 80 } }), 'keep'],
    ['a position alone', part(0, { navigation: { position } }), 'keep'],
    ['nothing but a time', part(0, {}), 'keep'],
    ['a drone state alone', part(0, { droneState: 'DOCKED' }), 'keep'],
    ['a part for the first time', part(0, { weather: { rain: 1 } }), 'wait'],
    ['a part of the last moment', part(-1, { weather: { rain: 1 } }), 'wait'],
    ['a take-off', part(0, { droneState: 'HOVER' }), 'write'],
    ['the charge of a minute later', part(59, { battery: { percent: 80 } }), 'keep'],
    ['the charge of more than a minute later', part(59.5, { battery: { percent: 80 } }), 'wait'],
  ])('of a device at rest that reports %s', (_, sample, kind) => {
    expect(decide({ device: device(rest) }, [sample], jobs(), now).saving.kind).toBe(kind);
  });

  test('is all that is known, also of samples that were not due', () => {
    const first = of([part(-0.5, { battery: { percent: 79 } })]);
    expect(first.saving.kind).toBe('wait');
    const due = device(known, { savedAt: at(-1), takeOff: { timestamp: at(-60) } });
    const { saving } = decide(
      { device: due, latest: first.state },
      [part(0, { weather: { rain: 1 } })],
      jobs(job()),
      now,
    );
    expect(saving).toMatchObject({
      kind: 'write',
      state: { timestamp: at(0), battery: { percent: 79 }, weather: { rain: 1 }, navigation: { position } },
    });
  });

  test('is nothing of before, when the device was registered again', () => {
    const again = device(undefined, { savedAt: undefined });
    const { state } = decide({ device: again, latest: known }, [part(0, { weather: { rain: 1 } })], jobs(), now);
    expect(state).toEqual({ timestamp: at(0), weather: { rain: 1 } });
  });

  test('has no more than 41 parts of one moment, as one', () => {
    const many = Array.from({ length: 41 }, (_, index) => part(0, { sensorPayload: { [`gas${index}`]: index } }));
    const { state, messages, news } = of(many);
    expect(Object.keys(state?.sensorPayload ?? {})).toHaveLength(41);
    expect([messages.length, news.length]).toEqual([1, 41]);
  });
});
