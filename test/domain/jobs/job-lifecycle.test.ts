import {
  canReach,
  isFinal,
  isFlown,
  jobStatuses,
  mayMove,
  statusesBefore,
  wayBetween,
  wayTo,
  type JobStatus,
} from '../../../domain/jobs/job-lifecycle';

/** Written out apart from the table in the code: from (rows) to (columns). */
const moves = `
              PENDING  QUEUED  IN_PROGRESS  COMPLETED  FAILED  CANCELLED
PENDING       no       yes     no           no         yes     yes
QUEUED        no       no      yes          no         yes     yes
IN_PROGRESS   no       no      no           yes        yes     no
COMPLETED     no       no      no           no         no      no
FAILED        no       no      no           no         no      no
CANCELLED     no       no      no           no         no      no`;

const [columns = [], ...rows] = moves
  .trim()
  .split('\n')
  .map((line) => line.trim().split(/\s+/));
const cases = rows.flatMap(([from, ...answers]) =>
  answers.map((answer, index) => [from as JobStatus, columns[index] as JobStatus, answer === 'yes'] as const),
);

test('the table of this test has every pair of statuses', () => {
  expect(cases).toHaveLength(jobStatuses.length ** 2);
});

test.each(cases)('the transition from %s to %s is allowed: %s', (from, to, allowed) => {
  expect(mayMove(from, to)).toBe(allowed);
});

test.each(jobStatuses)('statusesBefore returns the statuses with a transition to %s', (to) => {
  const expected = cases.filter(([, target, allowed]) => target === to && allowed).map(([from]) => from);
  expect([...statusesBefore(to)]).toEqual(expected);
});

test('no transition leads to PENDING, which only a new job has', () => {
  expect(statusesBefore('PENDING')).toEqual([]);
});

test('the final statuses are those without a transition, and only a job in progress is flown', () => {
  expect(jobStatuses.filter(isFinal)).toEqual(['COMPLETED', 'FAILED', 'CANCELLED']);
  expect(jobStatuses.filter(isFlown)).toEqual(['IN_PROGRESS']);
});

test.each([
  ['PENDING', []],
  ['QUEUED', ['QUEUED']],
  ['IN_PROGRESS', ['QUEUED', 'IN_PROGRESS']],
  ['COMPLETED', ['QUEUED', 'IN_PROGRESS', 'COMPLETED']],
  ['FAILED', ['FAILED']],
  ['CANCELLED', ['CANCELLED']],
] as const)('a new job gets to %s by %j', (status, way) => {
  expect(wayTo(status)).toEqual(way);
});

test.each([
  ['PENDING', 'COMPLETED', true],
  ['PENDING', 'PENDING', false],
  ['QUEUED', 'PENDING', false],
  ['IN_PROGRESS', 'CANCELLED', false],
  ['FAILED', 'COMPLETED', false],
] as const)('from %s a path leads to %s: %s', (from, to, expected) => {
  expect(canReach(from, to)).toBe(expected);
});

describe('A lifecycle with a circle', () => {
  const stages = {
    READY: { next: ['FLYING'] },
    FLYING: { next: ['PAUSED', 'DONE'] },
    PAUSED: { next: ['FLYING'] },
    DONE: { next: [] },
  } satisfies Record<string, { next: readonly ('FLYING' | 'PAUSED' | 'DONE')[] }>;

  test.each([
    ['READY', 'DONE', ['FLYING', 'DONE']],
    ['PAUSED', 'PAUSED', ['FLYING', 'PAUSED']],
    ['FLYING', 'FLYING', ['PAUSED', 'FLYING']],
    ['PAUSED', 'READY', undefined],
    ['DONE', 'FLYING', undefined],
  ] as const)('has from %s to %s the way %j', (from, to, way) => {
    expect(wayBetween<keyof typeof stages>(stages, from, to)).toEqual(way);
  });
});
