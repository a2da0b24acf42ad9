import { jobStatuses, mayMove, statusesBefore, type JobStatus } from '../../domain/job-lifecycle';

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

test.each(['COMPLETED', 'FAILED', 'CANCELLED'] as const)('no transition leaves %s', (last) => {
  expect(jobStatuses.filter((to) => mayMove(last, to))).toEqual([]);
});
