import { createHistory, MAX_POINTS, type Point, RECENT_SECONDS } from '../../viewer/history';
import { catchUpRate } from '../../viewer/live-edge';

const point = (at: number): Point => ({ at, altitude: at * 2, speed: null });
const thinned = (at: number): Point => ({ ...point(at), thinned: true });

describe('createHistory', () => {
  test('keeps every point of the last five minutes, and fewer of the time before', () => {
    const history = createHistory();
    for (let tenth = 0; tenth < 100_000; tenth++) history.add(point(tenth / 10));
    const { at } = history.columns();
    const recent = at.filter((moment) => moment >= 9999.9 - RECENT_SECONDS);
    expect(recent).toHaveLength(RECENT_SECONDS * 10 + 1);
    expect(at[0]).toBe(0);
    expect(at.length).toBeLessThan(7000);
    const gaps = at.slice(1).map((moment, index) => moment - (at[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(20);
    expect(history.columns().altitude).not.toContain(null);
  });

  test('has columns of the last minutes only, on request', () => {
    const history = createHistory();
    for (let at = 0; at < 1000; at++) history.add(point(at));
    const { at, altitude, speed } = history.columns(100);
    expect([at[0], at.at(-1), at.length, altitude.length, speed.length]).toEqual([899, 999, 101, 101, 101]);
  });

  test('has a point that comes late at its place, and a repeated one once', () => {
    const history = createHistory();
    expect([5, 5, 4, 6, 5.02, 3.98].map((at) => history.add(point(at)))).toEqual(Array(6).fill(false));
    expect(history.columns()).toMatchObject({ at: [3.98, 5, 6], altitude: [8, 10.04, 12] });
  });

  test('has a gap where no sample arrived for a while', () => {
    const history = createHistory();
    for (const at of [1, 2, 60]) history.add(point(at));
    expect(history.columns()).toMatchObject({ at: [1, 2, 3, 60], altitude: [2, 4, null, 120] });
  });

  test('is filled with the track before and between its own points, without gaps', () => {
    const history = createHistory();
    for (const at of [100, 101, 160]) history.add(point(at));
    history.fill([40, 60, 80, 100, 120, 140, 159].map(thinned), 40);
    expect(history.columns().at).toEqual([40, 60, 80, 100, 101, 120, 140, 160]);
    expect(history.columns().altitude).not.toContain(null);
  });

  test('forgets what was before the flight', () => {
    const history = createHistory();
    for (const at of [1, 2, 50]) history.add(point(at));
    history.fill([thinned(40)], 40);
    expect(history.columns().at).toEqual([40, 50]);
    history.clear(50);
    expect(history.columns().at).toEqual([50]);
    history.clear(51);
    expect(history.columns().at).toEqual([]);
  });

  test('has a gap where the server’s track has one, which is longer than its usual steps', () => {
    const history = createHistory();
    history.fill([0, 20, 40, 80, 121, 141].map(thinned), 0);
    expect(history.columns()).toMatchObject({
      at: [0, 20, 40, 80, 81, 121, 141],
      altitude: [0, 40, 80, 160, null, 242, 282],
    });
  });

  const placed = (at: number): Point => ({ ...point(at), place: { latitude: 47, longitude: at } });
  /** Where the places are that come after a gap. */
  const gapsOf = (history: ReturnType<typeof createHistory>) =>
    history
      .places()
      .filter(({ afterGap }) => afterGap)
      .map(({ longitude }) => longitude);

  test('says of a new point whether its place comes after a gap, also when the device reported anything else', () => {
    const history = createHistory();
    expect([placed(1), placed(11), point(15), placed(22), placed(22)].map(history.add)).toEqual([
      false,
      false,
      false,
      true,
      false,
    ]);
    expect(history.columns().altitude).not.toContain(null);
    expect(history.places().map(({ longitude }) => longitude)).toEqual([1, 11, 22]);
    expect(gapsOf(history)).toEqual([22]);
  });

  test('closes the gaps that the server’s track fills, and keeps the others', () => {
    const history = createHistory();
    for (const at of [100, 101, 160, 200]) history.add(placed(at));
    expect(gapsOf(history)).toEqual([160, 200]);
    const track = [40, 45, 50, 70, 75, 80, 85, 90, 95, 105, 110, 115, 120, 125, 130, 135, 140, 145, 150, 155];
    history.fill(
      track.map((at) => ({ ...placed(at), thinned: true })),
      40,
    );
    expect(gapsOf(history)).toEqual([70, 200]);
    history.fill([], 40);
    expect(gapsOf(history)).toEqual([70, 200]);
  });

  test('keeps the gaps of the time whose points it thins', () => {
    const history = createHistory();
    for (let tenth = 0; tenth < 50_000; tenth++) if (tenth < 10_000 || tenth > 10_110) history.add(placed(tenth / 10));
    expect(gapsOf(history)).toEqual([1011.1]);
  });

  test('makes one of two points that are closer than any drone reports, with the newest values', () => {
    const history = createHistory();
    for (const at of [1, 2]) history.add(placed(at));
    history.add(point(2.01));
    history.add({ at: 2.02, altitude: 7, speed: 3, place: { latitude: 48, longitude: 9 } });
    expect(history.columns()).toEqual({ at: [1, 2], altitude: [2, 7], speed: [null, 3] });
    expect(history.places().at(-1)).toMatchObject({ latitude: 48, longitude: 9 });
  });

  test('says when a place that comes late is not the last one, so that the line is another one', () => {
    const history = createHistory();
    expect([placed(1), point(3), placed(2), placed(5), placed(4), placed(40), placed(20)].map(history.add)).toEqual([
      false,
      false,
      false,
      false,
      undefined,
      true,
      undefined,
    ]);
    expect(history.places().map(({ longitude }) => longitude)).toEqual([1, 2, 4, 5, 20, 40]);
    expect(gapsOf(history)).toEqual([20, 40]);
  });

  test('goes on with a value that was measured at another moment, but not for long', () => {
    const history = createHistory();
    const add = (at: number, altitude?: number, speed?: number) => history.add({ at, altitude, speed });
    add(1, 100);
    add(1.1, undefined, 5);
    add(1.3, 102);
    add(1.4, undefined, 6);
    // Between two that came before it.
    add(1.2, 101);
    for (let at = 5; at < 20; at += 5) add(at, undefined, at);
    expect(history.columns()).toEqual({
      at: [1, 1.1, 1.2, 1.3, 1.4, 5, 10, 15],
      altitude: [100, 100, 101, 102, 102, 102, 102, null],
      speed: [null, 5, 5, 5, 6, 5, 10, 15],
    });
  });

  test('leaves a place that comes more than five minutes late to the track of the server', () => {
    const history = createHistory();
    for (const at of [1, 400]) history.add(point(at));
    expect(history.add(placed(50))).toBe(false);
    expect(history.places()).toEqual([]);
  });

  test('keeps both values of moments that it thins, when they are never of one moment', () => {
    const history = createHistory();
    for (let tenth = 0; tenth < 100_000; tenth++)
      history.add(tenth % 2 ? { at: tenth / 10, speed: 4 } : { ...placed(tenth / 10), speed: undefined });
    const { altitude, speed } = history.columns();
    expect(altitude).not.toContain(null);
    expect(speed.slice(1)).not.toContain(null);
    expect(history.places().length).toBeGreaterThan(2000);
  });

  test('knows no value after a gap that was measured before it, also when it thins', () => {
    const history = createHistory();
    for (let tenth = 0; tenth < 10_000; tenth++) history.add(placed(tenth / 10));
    for (let tenth = 10_150; tenth < 50_000; tenth++) history.add({ at: tenth / 10, speed: 4 });
    const { at, altitude } = history.columns();
    expect(altitude.filter((value, index) => value !== null && (at[index] ?? 0) > 1000)).toEqual([]);
  });

  const EIGHT_HOURS = 8 * 3600;
  /**
   * How often the points are counted, which copies them. Their number rises and falls all the time, so some counts are
   * near its highest.
   */
  const COUNTS = 97;
  test.each([
    ['at 1 Hz', 1, () => false],
    ['at 10 Hz', 0.1, () => false],
    ['at 50 Hz', 0.02, () => false],
    ['at 10 Hz, with a gap in each minute', 0.1, (at: number) => at % 60 > 45],
    ['at 10 Hz, for one second of twelve', 0.1, (at: number) => at % 12 > 1],
    ['every 15 s, so that each point is after a gap', 15, () => false],
    ['every 11 s for five days', 11 / 15, () => false],
  ])('keeps the beginning and a bounded number of points of eight hours %s', (_, step, isSilent) => {
    const history = createHistory();
    const scale = step === 11 / 15 ? 15 : 1;
    const samples = Math.ceil(EIGHT_HOURS / step);
    const counted = Math.floor(samples / COUNTS);
    let most = 0;
    for (let index = 0; index < samples; index++) {
      const at = index * step * scale;
      if (isSilent(at)) continue;
      history.add(placed(at));
      if (index % counted === 0) most = Math.max(most, history.places().length);
    }
    expect(most).toBeLessThanOrEqual(MAX_POINTS);
    expect(history.places()[0]).toMatchObject({ latitude: 47 });
    expect(history.columns().at[0]).toBe(0);
    expect(history.places().length).toBeGreaterThan(1000);
  });

  test('has gaps still when it left out points after gaps', () => {
    const history = createHistory();
    for (let at = 0; at < 11 * 40_000; at += 11) history.add(placed(at));
    expect(gapsOf(history)).toHaveLength(history.places().length - 1);
  });
});

describe('Live video', () => {
  test.each([
    ['that plays of now', { position: 100, livePosition: 101, latency: 4 }, undefined],
    ['that is ahead', { position: 104, livePosition: 101, latency: 4 }, undefined],
    ['that is a little behind', { position: 95.5, livePosition: 101, latency: 4 }, undefined],
    ['that was paused for half a minute', { position: 71, livePosition: 101, latency: 4 }, 101],
    ['whose segments are long', { position: 85, livePosition: 101, latency: 20 }, undefined],
    ['that is far behind with long segments', { position: 80, livePosition: 101, latency: 20 }, 101],
    ['that has not begun', { position: 0, livePosition: undefined, latency: 0 }, undefined],
  ])('%s jumps when it is far behind only', (_, playhead, expected) => expect(catchUpRate(playhead)).toBe(expected));
});
