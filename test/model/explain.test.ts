import { explain, printHistory, type Step } from './explain';
import {
  createJob,
  deleteJob,
  getJob,
  hearDeleted,
  jobModel,
  patchJob,
  reportJob,
  seeJob,
  type JobState,
} from './job-model';

const fixed = { jobId: 'job-1' };
const model = jobModel({ name: 'a', priority: 5 });
const created = createJob({ start: 0, end: 1, label: 'creates' });

/** An answer that shows a job. */
const shows = (fields: Readonly<Record<string, unknown>>, version: number) => ({
  status: 200,
  etag: `"${version}"`,
  body: { job: { ...fixed, name: 'a', priority: 5, status: 'PENDING', ...fields, version } },
});
const refused = (status: number, error = '') => ({ status, etag: undefined, body: { error } });
const at = (start: number, end: number, label = 'step') => ({ start, end, label });

const isExplained = (...steps: readonly Step<JobState>[]) => explain([created, ...steps], model).order !== undefined;

describe('A history of a job is explained', () => {
  test('when each answer is that of the step before it.', () => {
    expect(
      isExplained(
        patchJob(at(2, 3), shows({ status: 'QUEUED' }, 2), false, { status: 'QUEUED' }, undefined),
        getJob(at(4, 5), shows({ status: 'QUEUED' }, 2), false, fixed),
        deleteJob(at(6, 7), { status: 200, etag: undefined, body: {} }, false),
        getJob(at(8, 9), refused(404), false, fixed),
      ),
    ).toBe(true);
  });

  test('when a read beside a change saw the state before it, or after it.', () => {
    const change = patchJob(at(2, 6), shows({ name: 'b' }, 2), false, { name: 'b' }, undefined);
    const before = getJob(at(3, 4), shows({}, 1), false, fixed);
    const after = getJob(at(3, 4), shows({ name: 'b' }, 2), false, fixed);
    expect([isExplained(change, before), isExplained(change, after)]).toEqual([true, true]);
  });

  test('when a report of the platform has taken effect late, or not yet.', () => {
    const report = reportJob(at(2, Infinity), 'QUEUED');
    const queued = getJob(at(9, 10), shows({ status: 'QUEUED' }, 2), false, fixed);
    expect(isExplained(report, getJob(at(3, 4), shows({}, 1), false, fixed), queued)).toBe(true);
    expect(isExplained(report, getJob(at(9, 10), shows({}, 1), false, fixed))).toBe(true);
  });

  test('when an early report has come again after what it builds on.', () => {
    const early = reportJob(at(2, 20), 'IN_PROGRESS');
    const queued = patchJob(at(5, 6), shows({ status: 'QUEUED' }, 2), false, { status: 'QUEUED' }, undefined);
    expect(isExplained(early, queued, getJob(at(30, 31), shows({ status: 'IN_PROGRESS' }, 3), false, fixed))).toBe(
      true,
    );
  });
});

describe('A history of a job is not explained', () => {
  const toB = patchJob(at(2, 3), shows({ name: 'b' }, 2), false, { name: 'b' }, undefined);

  test('when an update was lost: two changes got the same version.', () => {
    const toC = patchJob(at(2, 3), shows({ name: 'c' }, 2), false, { name: 'c' }, undefined);
    expect(isExplained(toB, toC)).toBe(false);
  });

  test('when a read is stale.', () => {
    expect(isExplained(toB, getJob(at(4, 5), shows({}, 1), false, fixed))).toBe(false);
  });

  test('when two reads one after the other go back in time beside a change.', () => {
    const change = patchJob(at(2, 9), shows({ name: 'b' }, 2), false, { name: 'b' }, undefined);
    const newer = getJob(at(3, 4), shows({ name: 'b' }, 2), false, fixed);
    const older = getJob(at(5, 6), shows({}, 1), false, fixed);
    expect(isExplained(change, newer, older)).toBe(false);
  });

  test('when a move is impossible.', () => {
    const change = patchJob(at(2, 3), shows({ status: 'COMPLETED' }, 2), false, { status: 'COMPLETED' }, undefined);
    expect(isExplained(change)).toBe(false);
  });

  test('when a stale `If-Match` was let through, or one that fits was refused.', () => {
    const later = patchJob(at(4, 5), shows({ name: 'c' }, 3), false, { name: 'c' }, 1);
    expect(isExplained(toB, later)).toBe(false);
    expect(isExplained(toB, patchJob(at(4, 5), refused(412), false, { name: 'c' }, 2))).toBe(false);
  });

  test("when another organisation's client is told that there is nothing, or reads it.", () => {
    expect(isExplained(getJob(at(2, 3), refused(403), true, fixed))).toBe(true);
    expect(isExplained(getJob(at(2, 3), refused(404), true, fixed))).toBe(false);
    expect(isExplained(getJob(at(2, 3), shows({}, 1), true, fixed))).toBe(false);
  });

  test('when a report that was possible had no effect although it was worked on.', () => {
    expect(isExplained(reportJob(at(2, 8), 'QUEUED'), getJob(at(9, 10), shows({}, 1), false, fixed))).toBe(false);
  });

  test('when a channel told a state before it came about, or one that never was.', () => {
    const past = (end: number) => ({ start: -Infinity, end, label: 'hears' });
    const queued = patchJob(at(4, 5), shows({ status: 'QUEUED' }, 2), false, { status: 'QUEUED' }, undefined);
    const told = { version: 2, status: 'QUEUED', previous: 'PENDING' };
    expect(isExplained(queued, seeJob(past(6), told))).toBe(true);
    expect(isExplained(queued, seeJob(past(3), told))).toBe(false);
    expect(isExplained(queued, seeJob(past(6), { ...told, previous: 'FAILED' }))).toBe(false);
    expect(isExplained(queued, hearDeleted(past(6), 'QUEUED', 3))).toBe(false);
  });
});

test('A history that is not explained is printed in order, and what does not fit is marked.', () => {
  const steps = [created, getJob(at(4, 5, 'reads "9"'), shows({}, 9), false, fixed)];
  const text = printHistory(steps, explain(steps, model));
  expect(text).toMatch(/^ {4} +0\.0 – +1\.0 ms {2}creates\n {2}! +4\.0 – +5\.0 ms {2}reads "9"\n/);
});
