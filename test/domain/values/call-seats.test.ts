import { callSeat, withSeat } from '../../../domain/values/call-seats';

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
