import { existsSync } from 'node:fs';
import { join } from 'node:path';
import kept from './durations.json';

interface Test {
  readonly path: string;
  readonly needsStack?: boolean;
}

const { inOrder } = jest.requireActual<{
  inOrder: (tests: readonly Test[], workers: number, durations: Readonly<Record<string, number>>) => Test[];
}>('./sequencer.mjs');

const ordered = (tests: readonly Test[], durations: Readonly<Record<string, number>> = {}) =>
  inOrder(tests, 2, durations).map(({ path }) => path);

describe('The order of a run', () => {
  const unit = ['b', 'a', 'c'].map((path) => ({ path }));

  test('has the longest first', () => {
    expect(ordered(unit, { c: 9, a: 3, b: 5 })).toEqual(['c', 'b', 'a']);
  });

  test('has a file without a duration before shorter ones, and those of a length by name', () => {
    expect(ordered(unit, { a: 0, c: 2 })).toEqual(['c', 'b', 'a']);
    expect(ordered(unit)).toEqual(['a', 'b', 'c']);
  });

  test('has enough that needs no stack before what needs it', () => {
    const needy = { path: 'needy', needsStack: true };
    expect(ordered([needy, ...unit], { needy: 50, a: 40, b: 30, c: 20 })).toEqual(['a', 'b', 'needy', 'c']);
    expect(ordered([needy], { needy: 50 })).toEqual(['needy']);
  });
});

test('each duration that is kept is of a test file', () => {
  const paths = Object.keys(kept);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !path.endsWith('.test.ts') || !existsSync(join(__dirname, '../..', path)))).toEqual([]);
});
