import { after } from '../../viewer/device-state';
import { createHistory, HISTORY_SECONDS } from '../../viewer/history';
import type { Telemetry } from '../../viewer/messages';
import { parseMessage } from '../../viewer/messages';
import { compass, decimal, place, span, words } from '../../viewer/units';

describe('What the share page writes', () => {
  it.each<[string, string]>([
    [decimal(85.46), '85.5'],
    [decimal(-0.04), '0.0'],
    [decimal(-0.3, 0), '0'],
    [decimal(-12.34), '-12.3'],
    [decimal(undefined), '–'],
    [compass(0), '0° N'],
    [compass(359.7), '0° N'],
    [compass(360), '0° N'],
    [compass(225), '225° SW'],
    [compass(undefined), '–'],
    [span(0), '0:00'],
    [span(-5000), '0:00'],
    [span(61_000), '1:01'],
    [span(3_599_000), '59:59'],
    [span(3 * 3_600_000 + 5 * 60_000), '3 h 05 min'],
    [words('TASK_INPROGRESS'), 'Task in progress'],
    [words('GPS_NORMAL'), 'GPS normal'],
    [words('SOMETHING_NEW'), 'Something new'],
    [words(undefined), '–'],
    [place(8.5417, 47.3769), '47.37690° N, 8.54170° E'],
    [place(-122.4194, -37.7749), '37.77490° S, 122.41940° W'],
  ])('is %s', (written, wanted) => expect(written).toBe(wanted));
});

describe('What the page takes from the socket', () => {
  it.each([
    ['no JSON', '{'],
    ['no object', '7'],
    ['null', 'null'],
    ['no type', '{}'],
    ['a type of a later version', '{"type":"device.mood"}'],
    ['binary', new ArrayBuffer(2)],
  ])('is not %s', (_, data) => expect(parseMessage(data)).toBeUndefined());

  it('is a message of a type that it knows', () => {
    expect(parseMessage('{"type":"pong","id":"1"}')).toEqual({ type: 'pong', id: '1' });
  });
});

describe('What is known of a device', () => {
  const sample = (fields: object) =>
    ({ type: 'device.telemetry', deviceId: 'd', timestamp: '2026-11-20T10:00:00Z', ...fields }) as Telemetry;

  it('stays when a sample says nothing of it', () => {
    const orientation = { heading: 90 };
    const first = sample({ droneState: 'HOVER', battery: { percent: 80, voltage: 23 }, navigation: { orientation } });
    const velocity = { groundSpeed: 4 };
    expect(after(first, sample({ battery: { percent: 79 }, navigation: { velocity } }))).toEqual(
      sample({ droneState: 'HOVER', battery: { percent: 79, voltage: 23 }, navigation: { orientation, velocity } }),
    );
    expect(after(undefined, first)).toBe(first);
  });
});

describe('The history of a flight', () => {
  const point = (at: number) => ({ at, altitude: at * 2, speed: null });

  it('keeps five minutes, however long the page is open', () => {
    const history = createHistory();
    for (let at = 0; at < 10_000; at++) history.add(point(at));
    expect([history.at[0], history.at.at(-1)]).toEqual([9999 - HISTORY_SECONDS, 9999]);
    expect(history.altitude).toHaveLength(history.at.length);
    expect(history.speed).toHaveLength(history.at.length);
  });

  it('takes no moment twice and none from before', () => {
    const history = createHistory();
    for (const at of [5, 5, 4, 6]) history.add(point(at));
    expect(history.at).toEqual([5, 6]);
  });

  it('is broken where nothing was heard for a while', () => {
    const history = createHistory();
    for (const at of [1, 2, 60]) history.add(point(at));
    expect(history.altitude).toEqual([2, 4, null, 120]);
    expect(history.at).toEqual([1, 2, 3, 60]);
  });
});
