import { isReachable } from './job-model';

const withCircle = { READY: ['FLYING'], FLYING: ['PAUSED', 'DONE'], PAUSED: ['FLYING'], DONE: [] };

test.each([
  ['READY', 'DONE', true],
  ['PAUSED', 'PAUSED', true],
  ['PAUSED', 'READY', false],
  ['DONE', 'FLYING', false],
])('in a lifecycle with a circle a way leads from %s to %s: %s', (from, to, expected) => {
  expect(isReachable(from, to, withCircle)).toBe(expected);
});
