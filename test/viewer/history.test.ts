import { createHistory, HISTORY_SECONDS } from '../../viewer/history';

const point = (at: number) => ({ at, altitude: at * 2, speed: null });

describe('createHistory', () => {
  test('keeps five minutes, however long the page is open', () => {
    const history = createHistory();
    for (let at = 0; at < 10_000; at++) history.add(point(at));
    expect([history.at[0], history.at.at(-1)]).toEqual([9999 - HISTORY_SECONDS, 9999]);
    expect(history.altitude).toHaveLength(history.at.length);
    expect(history.speed).toHaveLength(history.at.length);
  });

  test('ignores repeated and earlier points', () => {
    const history = createHistory();
    for (const at of [5, 5, 4, 6]) history.add(point(at));
    expect(history.at).toEqual([5, 6]);
  });

  test('has a gap where no sample arrived for a while', () => {
    const history = createHistory();
    for (const at of [1, 2, 60]) history.add(point(at));
    expect(history.altitude).toEqual([2, 4, null, 120]);
    expect(history.at).toEqual([1, 2, 3, 60]);
  });
});
