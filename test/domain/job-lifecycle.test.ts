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

test('The table of moves has every status, from and to.', () => {
  expect(cases).toHaveLength(jobStatuses.length ** 2);
});

test.each(cases)('A job may move from %s to %s: %s.', (from, to, allowed) => {
  expect(mayMove(from, to)).toBe(allowed);
});

test.each(jobStatuses)('The statuses before %s are those that may move to it.', (to) => {
  const expected = cases.filter(([, target, allowed]) => target === to && allowed).map(([from]) => from);
  expect([...statusesBefore(to)]).toEqual(expected);
});

test('Nothing comes before PENDING, which only a new job has.', () => {
  expect(statusesBefore('PENDING')).toEqual([]);
});

test.each(['COMPLETED', 'FAILED', 'CANCELLED'] as const)('%s is final.', (last) => {
  expect(jobStatuses.filter((to) => mayMove(last, to))).toEqual([]);
});
