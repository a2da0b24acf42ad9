import { linearize, formatHistory, type Step } from './linearize';
import {
  createJob,
  deleteJob,
  getJob,
  observeJobDeletion,
  jobModel,
  patchJob,
  reportJob,
  observeJob,
  type JobState,
  isReachable,
  createWithKey,
  keyModel,
} from './job-model';
import { limitViolations } from './rate-limit-violations';
import {
  viewerHandshake,
  createShare,
  releaseSeat,
  readShare,
  revokeShare,
  shareModel,
  takeSeat,
  type ShareState,
} from './share-model';

describe('Linearize', () => {
  const fixed = { jobId: 'job-1' };
  const reportedAt = '2026-11-27T10:30:00.000Z';
  const model = jobModel({ name: 'a', priority: 5 });
  const created = createJob({ start: 0, end: 1, label: 'creates' });

  /** An answer with a job. */
  const shows = (fields: Readonly<Record<string, unknown>>, version: number) => ({
    status: 200,
    etag: `"${version}"`,
    body: { job: { ...fixed, name: 'a', priority: 5, status: 'PENDING', ...fields, version } },
  });
  const refused = (status: number, error = '') => ({ status, etag: undefined, body: { error } });
  const at = (start: number, end: number, label = 'step') => ({ start, end, label });

  const isLinearizable = (...steps: readonly Step<JobState>[]) =>
    linearize([created, ...steps], model).order !== undefined;

  describe('A history of a job is linearizable', () => {
    test('when each answer follows from the previous step', () => {
      expect(
        isLinearizable(
          patchJob(at(2, 3), shows({ status: 'QUEUED' }, 2), false, { status: 'QUEUED' }, undefined),
          getJob(at(4, 5), shows({ status: 'QUEUED' }, 2), false, fixed),
          deleteJob(at(6, 7), { status: 200, etag: undefined, body: {} }, false),
          getJob(at(8, 9), refused(404), false, fixed),
        ),
      ).toBe(true);
    });

    test('when a read concurrent with a change sees the state before or after it', () => {
      const change = patchJob(at(2, 6), shows({ name: 'b' }, 2), false, { name: 'b' }, undefined);
      const before = getJob(at(3, 4), shows({}, 1), false, fixed);
      const after = getJob(at(3, 4), shows({ name: 'b' }, 2), false, fixed);
      expect([isLinearizable(change, before), isLinearizable(change, after)]).toEqual([true, true]);
    });

    test('when a platform report takes effect late, or not yet', () => {
      const report = reportJob(at(2, Infinity), { status: 'QUEUED', at: reportedAt });
      const queued = getJob(at(9, 10), shows({ status: 'QUEUED', reportedAt }, 2), false, fixed);
      expect(isLinearizable(report, getJob(at(3, 4), shows({}, 1), false, fixed), queued)).toBe(true);
      expect(isLinearizable(report, getJob(at(9, 10), shows({}, 1), false, fixed))).toBe(true);
    });

    test('when an early report is retried after the one it depends on', () => {
      const early = reportJob(at(2, 20), { status: 'IN_PROGRESS', at: reportedAt });
      const queued = patchJob(at(5, 6), shows({ status: 'QUEUED' }, 2), false, { status: 'QUEUED' }, undefined);
      const flying = getJob(at(30, 31), shows({ status: 'IN_PROGRESS', reportedAt }, 3), false, fixed);
      expect(isLinearizable(early, queued, flying)).toBe(true);
    });
  });

  describe('A history of a job is not linearizable', () => {
    const toB = patchJob(at(2, 3), shows({ name: 'b' }, 2), false, { name: 'b' }, undefined);

    test('when an update is lost: two changes get the same version', () => {
      const toC = patchJob(at(2, 3), shows({ name: 'c' }, 2), false, { name: 'c' }, undefined);
      expect(isLinearizable(toB, toC)).toBe(false);
    });

    test('when a read is stale', () => {
      expect(isLinearizable(toB, getJob(at(4, 5), shows({}, 1), false, fixed))).toBe(false);
    });

    test('when consecutive reads during a change see the newer state first', () => {
      const change = patchJob(at(2, 9), shows({ name: 'b' }, 2), false, { name: 'b' }, undefined);
      const newer = getJob(at(3, 4), shows({ name: 'b' }, 2), false, fixed);
      const older = getJob(at(5, 6), shows({}, 1), false, fixed);
      expect(isLinearizable(change, newer, older)).toBe(false);
    });

    test('when a status transition is not allowed', () => {
      const change = patchJob(at(2, 3), shows({ status: 'COMPLETED' }, 2), false, { status: 'COMPLETED' }, undefined);
      expect(isLinearizable(change)).toBe(false);
    });

    test('when a stale `If-Match` is accepted, or a current one refused', () => {
      const later = patchJob(at(4, 5), shows({ name: 'c' }, 3), false, { name: 'c' }, 1);
      expect(isLinearizable(toB, later)).toBe(false);
      expect(isLinearizable(toB, patchJob(at(4, 5), refused(412), false, { name: 'c' }, 2))).toBe(false);
    });

    test("when another organisation's client gets 404 or reads the job", () => {
      expect(isLinearizable(getJob(at(2, 3), refused(403), true, fixed))).toBe(true);
      expect(isLinearizable(getJob(at(2, 3), refused(404), true, fixed))).toBe(false);
      expect(isLinearizable(getJob(at(2, 3), shows({}, 1), true, fixed))).toBe(false);
    });

    test('when a processed report had no effect although it was allowed', () => {
      const report = reportJob(at(2, 8), { status: 'QUEUED', at: reportedAt });
      expect(isLinearizable(report, getJob(at(9, 10), shows({}, 1), false, fixed))).toBe(false);
    });

    test.each([
      ['with an impossible time', 'QUEUED', true],
      ['of a status that is the partner’s', 'CANCELLED', false],
    ])('when a report %s had an effect', (_, status, isRejected) => {
      const report = reportJob(at(2, 8), { status, at: reportedAt }, isRejected);
      expect(isLinearizable(report, getJob(at(9, 10), shows({}, 1), false, fixed))).toBe(true);
      expect(isLinearizable(report, getJob(at(9, 10), shows({ status, reportedAt }, 2), false, fixed))).toBe(false);
    });

    test('when a job shows the time of a report after a partner has moved it', () => {
      const report = reportJob(at(2, 3), { status: 'QUEUED', at: reportedAt });
      const moved = patchJob(at(5, 6), shows({ status: 'CANCELLED' }, 3), false, { status: 'CANCELLED' }, undefined);
      const cancelled = getJob(at(9, 10), shows({ status: 'CANCELLED' }, 3), false, fixed);
      expect(isLinearizable(report, moved, cancelled)).toBe(true);
      const outdated = getJob(at(9, 10), shows({ status: 'CANCELLED', reportedAt }, 3), false, fixed);
      expect(isLinearizable(report, moved, outdated)).toBe(false);
    });

    test('when a partner changes the status after a report, but to cancel the job', () => {
      const report = reportJob(at(2, 3), { status: 'QUEUED', at: reportedAt });
      const move = { status: 'IN_PROGRESS' };
      expect(isLinearizable(report, patchJob(at(5, 6), refused(400), false, move, undefined))).toBe(true);
      expect(isLinearizable(report, patchJob(at(5, 6), shows(move, 3), false, move, undefined))).toBe(false);
    });

    test('when the first report of a status that a partner has set is not shown', () => {
      const move = { status: 'QUEUED' };
      const moved = patchJob(at(2, 3), shows(move, 2), false, move, undefined);
      const reports = [4, 6].map((time) => reportJob(at(time, time + 1), { ...move, at: reportedAt }));
      const shown = getJob(at(9, 10), shows({ ...move, reportedAt }, 3), false, fixed);
      expect(isLinearizable(moved, ...reports, shown)).toBe(true);
      expect(isLinearizable(moved, ...reports, getJob(at(9, 10), shows(move, 2), false, fixed))).toBe(false);
    });

    test('when a channel publishes a state before it exists, or one that never existed', () => {
      const past = (end: number) => ({ start: -Infinity, end, label: 'receives' });
      const queued = patchJob(at(4, 5), shows({ status: 'QUEUED' }, 2), false, { status: 'QUEUED' }, undefined);
      const published = { version: 2, status: 'QUEUED', previous: 'PENDING' };
      expect(isLinearizable(queued, observeJob(past(6), published))).toBe(true);
      expect(isLinearizable(queued, observeJob(past(3), published))).toBe(false);
      expect(isLinearizable(queued, observeJob(past(6), { ...published, previous: 'FAILED' }))).toBe(false);
      expect(isLinearizable(queued, observeJobDeletion(past(6), 'QUEUED', 3))).toBe(false);
    });
  });

  test('formatHistory prints steps in order, and marks those without an explanation', () => {
    const steps = [created, getJob(at(4, 5, 'reads "9"'), shows({}, 9), false, fixed)];
    const text = formatHistory(steps, linearize(steps, model));
    expect(text).toMatch(/^ {4} +0\.0 – +1\.0 ms {2}creates\n {2}! +4\.0 – +5\.0 ms {2}reads "9"\n/);
  });
});

describe('Share model', () => {
  const at = (start: number, end: number) => ({ start, end, label: 'step' });
  const isLinearizable = (...steps: readonly Step<ShareState>[]) =>
    linearize([createShare(at(0, 1)), ...steps], shareModel).order !== undefined;
  const answer = (status: number) => ({ status, etag: undefined, body: {} });

  describe('A history of a share', () => {
    test('allows reads until it is revoked, and not afterwards', () => {
      const revoked = revokeShare(at(4, 5), answer(200), false);
      expect(isLinearizable(readShare(at(2, 3), answer(200), false, 200), revoked)).toBe(true);
      expect(isLinearizable(revoked, readShare(at(6, 7), answer(404), false, 200))).toBe(true);
      expect(isLinearizable(revoked, readShare(at(6, 7), answer(200), false, 200))).toBe(false);
    });

    test('allows one of two concurrent revocations', () => {
      const once = revokeShare(at(2, 5), answer(200), false);
      expect(isLinearizable(once, revokeShare(at(3, 6), answer(404), false))).toBe(true);
      expect(isLinearizable(once, revokeShare(at(3, 6), answer(200), false))).toBe(false);
    });

    test('allows as many viewers as seats, and another when one has left', () => {
      const enters = (start: number, status: number) => [
        viewerHandshake(at(start, start + 1), status),
        takeSeat(at(start, start + 1), status, 1),
      ];
      expect(isLinearizable(...enters(2, 101), ...enters(4, 429))).toBe(true);
      expect(isLinearizable(...enters(2, 101), ...enters(4, 101))).toBe(false);
      expect(isLinearizable(...enters(2, 101), releaseSeat({ start: 4, label: 'goes' }), ...enters(5, 101))).toBe(true);
      expect(isLinearizable(...enters(2, 429))).toBe(false);
    });
  });

  describe('A creation with a key', () => {
    const keyed = (body: string, answered: string | undefined) => createWithKey(at(0, 1), body, answered);
    const isKept = (...steps: ReturnType<typeof keyed>[]) => linearize(steps, keyModel).order !== undefined;

    test('gets the first answer again, and is refused with another body', () => {
      expect(isKept(keyed('a', 'first'), keyed('a', 'first'), keyed('b', undefined))).toBe(true);
      expect(isKept(keyed('a', 'first'), keyed('a', 'second'))).toBe(false);
      expect(isKept(keyed('a', 'first'), keyed('b', 'second'))).toBe(false);
      expect(isKept(keyed('a', undefined))).toBe(false);
    });
  });

  describe('limitViolations', () => {
    const call = (remaining: number, refused = false) => ({ window: 'w', limit: 3, remaining, refused });

    test('expects calls to be counted one by one up to the limit', () => {
      expect(limitViolations([call(1), call(2), call(0), call(0, true)])).toEqual([]);
      expect(limitViolations([call(2), call(2)])).toHaveLength(1);
      expect(limitViolations([call(2), call(0)])).toHaveLength(1);
      expect(limitViolations([call(2), call(1), call(1, true)])).toHaveLength(1);
      expect(limitViolations([call(2), call(1), call(0), call(0)])).toHaveLength(1);
    });

    test('lets a call whose count was repeated read what others have counted meanwhile, and no more', () => {
      expect(limitViolations([call(1), call(1)])).toEqual([]);
      expect(limitViolations([call(2), call(0), call(0)])).toEqual([]);
      expect(limitViolations([call(1), call(0)])).toHaveLength(1);
      expect(limitViolations([call(2), call(1), call(1)])).toHaveLength(1);
    });
  });
});

describe('Job model', () => {
  const withCircle = { READY: ['FLYING'], FLYING: ['PAUSED', 'DONE'], PAUSED: ['FLYING'], DONE: [] };

  test.each([
    ['READY', 'DONE', true],
    ['PAUSED', 'PAUSED', true],
    ['PAUSED', 'READY', false],
    ['DONE', 'FLYING', false],
  ])('in a lifecycle with a circle a way leads from %s to %s: %s', (from, to, expected) => {
    expect(isReachable(from, to, withCircle)).toBe(expected);
  });
});
