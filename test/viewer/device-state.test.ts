import { measuredAt, mergeState, type KnownState } from '../../domain/telemetry/known-state';
import { createFlight, createKnownDevice } from '../../viewer/device-state';
import { createHistory } from '../../viewer/history';
import { isOldBeside, ageOfOld } from '../../viewer/old-values';
import { parseMessage, type FlightInfo } from '../../viewer/parse-message';
import { flyMavlink, mergeAll, readMavlink, type DeviceMessage } from './fixtures/mavlink-order';

const begin = Date.parse('2026-11-27T10:30:00.000Z');
const at = (seconds: number) => new Date(begin + seconds * 1000).toISOString();

/** A page's knowledge, which is told messages as they come over the wire. */
function givenDevice(...messages: readonly object[]) {
  const history = createHistory();
  const flight = createFlight();
  const device = createKnownDevice(flight, history);
  const tell = (message: object) => {
    const read = parseMessage(JSON.stringify({ type: 'device.telemetry', ...message }));
    if (read?.type !== 'device.telemetry') throw new Error('The page does not read it');
    return device.onMessage(read);
  };
  for (const message of messages) tell(message);
  return { device, flight, history, tell };
}

const position = (longitude: number, altitude = 480) => ({
  navigation: { position: { type: 'Point', coordinates: [longitude, 47.4, altitude] } },
});

interface Part {
  /** A value of it. */
  readonly path: string;
  readonly earlier: object;
  readonly later: object;
  /** In seconds; undefined: never, since it counts until it changes. */
  readonly oldAfter: number | undefined;
}
const parts: readonly Part[] = [
  { path: 'navigation.position', earlier: position(8.5), later: position(8.6), oldAfter: 5 },
  {
    path: 'navigation.orientation.heading',
    earlier: { navigation: { orientation: { heading: 10 } } },
    later: { navigation: { orientation: { heading: 20 } } },
    oldAfter: 5,
  },
  {
    path: 'navigation.velocity.groundSpeed',
    earlier: { navigation: { velocity: { groundSpeed: 3 } } },
    later: { navigation: { velocity: { groundSpeed: 4 } } },
    oldAfter: 5,
  },
  {
    path: 'sensorPayload.camera.orientation.pitch',
    earlier: { sensorPayload: { camera: { orientation: { pitch: -90 } } } },
    later: { sensorPayload: { camera: { orientation: { pitch: -45 } } } },
    oldAfter: 5,
  },
  {
    path: 'battery.percent',
    earlier: { battery: { percent: 80 } },
    later: { battery: { percent: 79 } },
    oldAfter: 60,
  },
  {
    path: 'weather.windSpeed',
    earlier: { weather: { windSpeed: 3 } },
    later: { weather: { windSpeed: 4 } },
    oldAfter: 60,
  },
  { path: 'progress', earlier: { progress: { percent: 10 } }, later: { progress: { percent: 11 } }, oldAfter: 60 },
  { path: 'droneState', earlier: { droneState: 'HOVER' }, later: { droneState: 'ORBIT' }, oldAfter: undefined },
  { path: 'dockState', earlier: { dockState: 'OPEN' }, later: { dockState: 'CLOSED' }, oldAfter: undefined },
];

describe.each(parts)('$path', ({ path, earlier, later }) => {
  const other = { simulated: true };

  test('arrives late: it counts from when it was measured, and the page is as old as the newest report', () => {
    const { device, tell } = givenDevice({ timestamp: at(10), ...other });
    expect(tell({ timestamp: at(9), sequence: 1, ...earlier })).toBeDefined();
    expect(device.state).toMatchObject({ timestamp: at(10), ...other, ...earlier });
    expect(measuredAt(device.state, path)).toBe(begin + 9000);
  });

  test('arrives late beside what is new', () => {
    const { device } = givenDevice({ timestamp: at(10), ...other, ...earlier, measuredBefore: { [path]: 2.5 } });
    expect(measuredAt(device.state, path)).toBe(begin + 7500);
  });

  test('arrives late, after a later one: nothing changes', () => {
    const { device, tell } = givenDevice({ timestamp: at(9.5), ...later }, { timestamp: at(10), ...other });
    const before = device.state;
    expect(tell({ timestamp: at(9), ...earlier })).toBeUndefined();
    expect(device.state).toBe(before);
  });

  test('arrives twice: nothing changes', () => {
    const { device, history, tell } = givenDevice({ timestamp: at(10), ...earlier });
    const [before, drawn] = [device.state, history.columns()];
    expect(tell({ timestamp: at(10), ...earlier })).toBeUndefined();
    expect([device.state, history.columns()]).toEqual([before, drawn]);
  });

  test.each([
    ['first', 0],
    ['second', 1],
  ])('arrives %s of two messages of one time and sequence: both count', (_, index) => {
    const both = [
      { sequence: 7, ...other },
      { sequence: 7, ...earlier },
    ];
    if (index === 0) both.reverse();
    const { device } = givenDevice(...both.map((message) => ({ timestamp: at(10), ...message })));
    expect(device.state).toEqual({ timestamp: at(10), ...other, ...earlier });
  });

  test('arrives as another value of one time: the first one counts', () => {
    const { device, tell } = givenDevice({ timestamp: at(10), ...earlier });
    expect(tell({ timestamp: at(10), ...later })).toBeUndefined();
    expect(device.state).toEqual({ timestamp: at(10), ...earlier });
  });
});

describe.each(parts.filter(({ oldAfter }) => oldAfter !== undefined))(
  '$path',
  ({ path, earlier, later, oldAfter = 0 }) => {
    test(`is old when it was measured more than ${oldAfter} s before the newest report`, () => {
      const { device, tell } = givenDevice({ timestamp: at(0), ...earlier });
      const age = (now?: number) => device.state && ageOfOld(device.state, [path, 'simulated'], now);
      tell({ timestamp: at(oldAfter), simulated: true });
      expect(age()).toBeUndefined();
      tell({ timestamp: at(oldAfter + 0.001), simulated: true });
      expect([age(), age(begin), age(begin + 70_000)]).toEqual([oldAfter * 1000 + 1, oldAfter * 1000 + 1, 70_000]);
      tell({ timestamp: at(oldAfter), ...later });
      expect(age()).toBeUndefined();
    });
  },
);

test('a value is old beside another one only when that is not old as well', () => {
  const state: KnownState = {
    timestamp: at(0),
    battery: { percent: 80, voltage: 23, remainingFlightTime: 60 },
    measuredBefore: { 'battery.voltage': 61, 'battery.remainingFlightTime': 59 },
  };
  const isOld = (name: string, of = state) => isOldBeside(of, `battery.${name}`, 'battery.percent');
  expect([isOld('voltage'), isOld('remainingFlightTime')]).toEqual([true, false]);
  expect(isOld('voltage', { ...state, measuredBefore: { battery: 70 } })).toBe(false);
});

describe('The progress, whose job a viewer is not told', () => {
  const percent = (given: ReturnType<typeof givenDevice>) => [given.device.progress?.percent, given.flight.inFlight];

  test('counts in flight, ends with the landing, and is none of the next flight', () => {
    const given = givenDevice({ timestamp: at(0), droneState: 'LANDED' }, { timestamp: at(1), droneState: 'WAYPOINT' });
    given.tell({ timestamp: at(1.5), progress: { percent: 40 } });
    given.tell({ timestamp: at(2), droneState: 'RETURNING' });
    expect(percent(given)).toEqual([40, true]);
    given.tell({ timestamp: at(3), droneState: 'LANDED', progress: { percent: 100 } });
    expect(percent(given)).toEqual([undefined, false]);
    // What the drone says after its landing goes on being known until it says again that it stands.
    given.tell({ timestamp: at(3.5), progress: { percent: 100 } });
    given.tell({ timestamp: at(4), droneState: 'LANDED' });
    expect(given.tell({ timestamp: at(5), droneState: 'WAYPOINT' })).toMatchObject({
      takesOff: true,
      isOtherJob: false,
    });
    expect(percent(given)).toEqual([undefined, true]);
    // Of the flight before, and late.
    given.tell({ timestamp: at(2.5), progress: { percent: 80 } });
    expect(percent(given)).toEqual([undefined, true]);
    expect(given.tell({ timestamp: at(5.5), progress: { percent: 2 } })).toMatchObject({ isOtherJob: false });
    expect(percent(given)).toEqual([2, true]);
  });

  test('that falls in flight is of another job, and not that which comes late', () => {
    const { tell } = givenDevice({ timestamp: at(0), droneState: 'WAYPOINT', progress: { percent: 80 } });
    expect(tell({ timestamp: at(-1), progress: { percent: 20 } })).toBeUndefined();
    expect(tell({ timestamp: at(1), progress: { percent: 76 } })).toMatchObject({ isOtherJob: false });
    expect(tell({ timestamp: at(2), progress: { percent: 1 } })).toMatchObject({ isOtherJob: true });
  });

  test.each([
    ['a minute', 60, { percent: 97 }],
    ['more than a minute', 60.001, undefined],
    ['an hour', 3600, undefined],
  ])('that was measured %s before the newest report: %s s, %j', (_, second, expected) => {
    const said = { droneState: 'HOVER', progress: { percent: 97, distanceLeft: 3 } };
    const given = givenDevice({ timestamp: at(0), ...said });
    // What comes late tells no more of now than what has come.
    given.tell({ timestamp: at(second), droneState: 'HOVER', ...position(8.6) });
    given.tell({ timestamp: at(-1), battery: { percent: 50 } });
    const shown = () => given.device.progress;
    expect(shown()).toEqual(expected && expect.objectContaining(expected));
    expect(given.flight.inFlight).toBe(true);
    // It is that of another job all the same that comes next.
    const next = { timestamp: at(second + 1), progress: { percent: 1 } };
    expect(given.tell(next)).toMatchObject({ isOtherJob: true });
    expect(shown()).toMatchObject({ percent: 1 });
  });
});

describe('The altitude of the take-off', () => {
  const ofGround = 400;
  const stood = { timestamp: at(10), droneState: 'LANDED' };
  const altitudeAfter = (...messages: readonly object[]) => givenDevice(...messages).flight.takeOffAltitude;

  test.each([
    ['a day before the drone stood', -86_400, undefined],
    ['in the air, a minute before', -50, undefined],
    ['right before', 9.999, undefined],
    ['as it said that it stands', 10, ofGround],
    ['after', 10.5, ofGround],
  ])('is that of a position that was measured since the drone stands: %s', (_, second, expected) => {
    const placed = { timestamp: at(second), ...position(8.5, ofGround) };
    expect(altitudeAfter(placed, stood)).toBe(expected);
    expect(altitudeAfter(stood, placed)).toBe(expected);
    expect(altitudeAfter(placed, stood, { ...stood, timestamp: at(11) })).toBe(expected);
    expect(altitudeAfter(placed, stood, { timestamp: at(12), droneState: 'WAYPOINT' })).toBe(expected);
    const age = Math.max(0, 11 - second);
    const snapshot = { timestamp: at(11), snapshot: true, droneState: 'LANDED', ...position(8.5, ofGround) };
    const measuredBefore = { droneState: 1, ...(age > 0 && { 'navigation.position': age }) };
    expect(altitudeAfter({ ...snapshot, measuredBefore })).toBe(expected);
  });

  test('goes on counting from the first report of one that goes on standing', () => {
    const given = givenDevice(stood, { timestamp: at(20), droneState: 'DOCKED' });
    given.tell({ timestamp: at(15), ...position(8.5, ofGround) });
    expect(given.flight.takeOffAltitude).toBe(ofGround);
  });

  test('of a flight before stays until a position is measured where the drone stands now', () => {
    const given = givenDevice({ ...stood, ...position(8.5, ofGround) });
    given.tell({ timestamp: at(20), droneState: 'WAYPOINT', ...position(8.6, 480) });
    given.tell({ timestamp: at(30), droneState: 'LANDED' });
    given.tell({ timestamp: at(29), ...position(8.6, 450) });
    expect(given.flight.takeOffAltitude).toBe(ofGround);
    given.tell({ timestamp: at(31), ...position(8.6, 430) });
    expect(given.flight.takeOffAltitude).toBe(430);
  });

  test("is the server's in flight, and the page's on the ground", () => {
    const info: FlightInfo = { type: 'share.flight', track: [], takeOff: { timestamp: at(5), altitude: 444 } };
    const given = givenDevice({ ...stood, ...position(8.5, ofGround) });
    given.flight.onInfo(info);
    expect(given.flight.takeOffAltitude).toBe(ofGround);
    given.tell({ timestamp: at(20), droneState: 'WAYPOINT' });
    given.flight.onInfo(info);
    expect(given.flight.takeOffAltitude).toBe(444);
  });
});

describe('The track', () => {
  const longitudes = ({ history }: ReturnType<typeof givenDevice>) =>
    history.places().map(({ longitude }) => longitude);

  test('has a place between others that it was measured between, and goes on from the last', () => {
    const given = givenDevice({ timestamp: at(1), ...position(1) });
    const turned = { timestamp: at(3), navigation: { orientation: { heading: 1 } } };
    expect(given.tell(turned)).toMatchObject({ moves: true, isTrackOther: false });
    expect(given.tell({ timestamp: at(2), ...position(2) })).toMatchObject({ moves: true, isTrackOther: false });
    expect(given.tell({ timestamp: at(4), battery: { percent: 1 } })).toMatchObject({ moves: false });
    expect(given.tell({ timestamp: at(1.5), ...position(7) })).toBeUndefined();
    expect(longitudes(given)).toEqual([1, 2]);
  });

  test('begins with the take-off, also when that is told late', () => {
    const given = givenDevice({ timestamp: at(0), droneState: 'LANDED', ...position(0) });
    for (const second of [1, 2, 3]) given.tell({ timestamp: at(second), ...position(second) });
    expect(given.tell({ timestamp: at(2), droneState: 'WAYPOINT' })).toMatchObject({
      takesOff: true,
      isTrackOther: true,
    });
    expect(longitudes(given)).toEqual([2, 3]);
    expect(given.tell({ timestamp: at(1), droneState: 'LANDED' })).toBeUndefined();
    expect(given.flight.inFlight).toBe(true);
  });
});

describe('A flight that is reported in parts', () => {
  const recording = readMavlink();
  const shown = (state: KnownState | undefined) => JSON.parse(JSON.stringify(state)) as object;

  test('is recorded as the script flies it', () => expect(recording).toEqual(flyMavlink()));

  /** Paths of all values of a state. */
  const pathsOf = (value: unknown, path = ''): string[] =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? [path]
      : Object.entries(value).flatMap(([name, inner]) =>
          name === 'measuredBefore' ? [] : pathsOf(inner, `${path}.${name}`),
        );

  test.each([
    ['from the beginning', 0],
    ['in its middle', Math.floor(recording.length / 2)],
    ['right before its landing', recording.findIndex(({ timestamp }) => timestamp > at(53.5))],
  ])('is shown without a gap to a page that is opened %s', (_, middle) => {
    const snapshot = mergeAll(recording.slice(0, middle));
    const given = givenDevice(...(snapshot ? [{ ...snapshot, snapshot: true }] : []));
    let known = pathsOf(given.device.state ?? {});
    for (const message of recording.slice(middle)) {
      given.tell(message);
      const { state } = given.device;
      if (!state) throw new Error('The page knows nothing');
      const paths = pathsOf(state);
      const ended = state.droneState === 'LANDED' ? /^\.progress/ : /^$/;
      expect(known.filter((path) => !paths.includes(path) && !ended.test(path))).toEqual([]);
      known = paths;
      expect(
        ageOfOld(state, ['navigation.position', 'navigation.orientation.heading', 'battery.percent']),
      ).toBeUndefined();
    }
    expect(shown(given.device.state)).toEqual(shown(mergeAll(recording)));
    expect(given.flight.inFlight).toBe(false);
  });

  test('is drawn in the order in which it was measured', () => {
    const given = givenDevice(...recording);
    const { at: times, altitude, speed } = given.history.columns();
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(altitude.slice(1)).not.toContain(null);
    expect(speed.slice(1)).not.toContain(null);
    const places = given.history.places().map(({ longitude }) => longitude);
    expect(places).toEqual([...places].sort((one, other) => one - other));
    expect(places.length).toBeGreaterThan(200);
    // It climbs and comes down once.
    const top = altitude.indexOf(Math.max(...altitude.map((one) => one ?? 0)));
    const climb = altitude.slice(1, top).map((one) => one ?? 0);
    expect(climb).toEqual([...climb].sort((one, other) => one - other));
  });

  test('does not depend on the order of arrival', () => {
    const shuffled = recording.map((message, index): [number, DeviceMessage] => [
      (index * 7919) % recording.length,
      message,
    ]);
    shuffled.sort(([one], [other]) => one - other);
    const given = givenDevice(...shuffled.map(([, message]) => message));
    expect(shown(given.device.state)).toEqual(shown(mergeState(mergeAll(recording), recording[0] as KnownState).state));
  });
});
