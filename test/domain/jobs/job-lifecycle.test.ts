import {
  canReach,
  flownStatuses,
  isFinal,
  jobStatuses,
  mayMove,
  openStatuses,
  statusesBefore,
  pathBetween,
  pathTo,
  type JobStatus,
} from '../../../domain/jobs/job-lifecycle';
import type { Job } from '../../../domain/jobs/job';
import { cannotCancel, whyChangeRefused } from '../../../domain/jobs/job-change';
import { type FleetChange, whyStranded } from '../../../domain/jobs/stranded-job';
import { PLATFORM, SERVICE } from '../../../domain/values/service';
import { acme, id, rival, sampleJob } from '../fixtures/samples';

describe('Job lifecycle', () => {
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
    expect(openStatuses).toEqual(['PENDING', 'QUEUED', 'IN_PROGRESS']);
    expect(flownStatuses).toEqual(['IN_PROGRESS']);
  });

  test.each([
    ['PENDING', []],
    ['QUEUED', ['QUEUED']],
    ['IN_PROGRESS', ['QUEUED', 'IN_PROGRESS']],
    ['COMPLETED', ['QUEUED', 'IN_PROGRESS', 'COMPLETED']],
    ['FAILED', ['FAILED']],
    ['CANCELLED', ['CANCELLED']],
  ] as const)('a new job gets to %s by %j', (status, way) => {
    expect(pathTo(status)).toEqual(way);
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
      expect(pathBetween<keyof typeof stages>(stages, from, to)).toEqual(way);
    });
  });
});

describe('Why a change is refused', () => {
  const own = { owner: acme, hasReports: false, job: sampleJob({ status: 'COMPLETED', version: 3 }) };
  const foreign = { ...own, owner: rival };
  const allChecks = { caller: acme, status: 'QUEUED', ifVersions: [2] } as const;

  test.each([
    ['it does not exist, before any other reason', undefined, allChecks, 'job_not_found'],
    ['it belongs to another organisation, before version and status are checked', foreign, allChecks, 'forbidden'],
    ['its version is another, before the status is checked', own, allChecks, 'stale_version'],
    ['the transition is not allowed', own, { ...allChecks, ifVersions: [3] }, 'invalid_request'],
  ])('a change is refused because %s', (_, found, guard, code) => {
    expect(whyChangeRefused(found, guard)?.code).toBe(code);
  });

  test.each([
    ['the required version is that of the job', { caller: acme, ifVersions: [3] }],
    ['no version is required', { caller: acme }],
    ['it has the status already', { caller: acme, status: 'COMPLETED', ifVersions: [3] }],
  ] as const)('a change is allowed when %s', (_, guard) => {
    expect(whyChangeRefused(own, guard)).toBeUndefined();
  });

  const move = (from: JobStatus, to: JobStatus) => `can't move from ${from} to ${to}`;
  const flown =
    'is reported by the drone platform, which flies the job: cancel it while it is QUEUED, or end its flight by the command RETURN_HOME';

  /**
   * What becomes of a partner's change of a job on which the platform has reported, from (rows) to (columns): `same` is
   * no change, `flown` is the platform's to report, `move` is none of the lifecycle.
   */
  const afterReports = `
              PENDING  QUEUED  IN_PROGRESS  COMPLETED  FAILED  CANCELLED
PENDING       same     flown   flown        flown      flown   ok
QUEUED        flown    same    flown        flown      flown   ok
IN_PROGRESS   flown    flown   same         flown      flown   flown
COMPLETED     move     move    move         same       move    move
FAILED        move     move    move         move       same    move
CANCELLED     move     move    move         move       move    same`;

  const [columns = [], ...rows] = afterReports
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const afterReport = new Map(
    rows.flatMap(([from = '', ...results]) =>
      results.map((result, index) => [`${from} ${columns[index]}`, result] as const),
    ),
  );

  const pairs = jobStatuses.flatMap((from) => jobStatuses.map((to) => [from, to] as const));
  const everyCase = pairs.flatMap(([from, to]) =>
    [false, true].flatMap((hasReports) =>
      ([undefined, SERVICE, PLATFORM] as const).map((changedBy) => ({ from, to, hasReports, changedBy })),
    ),
  );

  test.each(everyCase)(
    'from $from to $to, with reports of the platform: $hasReports, by $changedBy',
    ({ from, to, hasReports, changedBy }) => {
      const found = { owner: acme, hasReports, job: sampleJob({ status: from }) };
      const [refusal] = whyChangeRefused(found, { caller: acme, status: to, changedBy })?.details ?? [];
      const isPartnersAfterReports = hasReports && changedBy === undefined;
      const result = isPartnersAfterReports
        ? afterReport.get(`${from} ${to}`)
        : from === to || mayMove(from, to)
          ? 'ok'
          : 'move';
      const messages: Partial<Record<string, string>> = { flown, move: move(from, to) };
      expect(refusal?.message).toBe(messages[result ?? '']);
      expect(['ok', 'same', 'flown', 'move']).toContain(result);
      expect(refusal?.path ?? 'status').toBe('status');
    },
  );

  test.each(jobStatuses)(
    'a job that is %s and can’t be cancelled is refused, in flight with what ends the flight',
    (status) => {
      const [detail] = cannotCancel(status).details;
      expect(detail?.message).toEqual(
        status === 'IN_PROGRESS'
          ? expect.stringMatching(/RETURN_HOME.*POST \/v3\/devices\/\{deviceId\}\/commands/)
          : undefined,
      );
    },
  );
});

describe('Stranded job', () => {
  const [deviceId, other] = [id('device'), id('device', undefined, '0'.repeat(26))];
  const [deviceGroupId, another] = [id('group'), id('group', undefined, '0'.repeat(26))];
  const job = (change: Partial<Job>): Job => ({ ...sampleJob({ deviceGroupId, status: 'PENDING' }), ...change });

  test.each<[string, Partial<Job>, FleetChange, ReturnType<typeof whyStranded>]>([
    ['of a removed group', {}, { kind: 'group removed', deviceGroupId }, 'GROUP_REMOVED'],
    ['of another group than the removed one', {}, { kind: 'group removed', deviceGroupId: another }, undefined],
    ['of a removed device', { deviceId }, { kind: 'device removed', deviceId }, 'DEVICE_REMOVED'],
    [
      'that a removed device flies',
      { deviceId, status: 'IN_PROGRESS' },
      { kind: 'device removed', deviceId },
      'DEVICE_REMOVED',
    ],
    ['of another device than the removed one', { deviceId: other }, { kind: 'device removed', deviceId }, undefined],
    ['of any device of a group', { deviceId: undefined }, { kind: 'device removed', deviceId }, undefined],
    [
      'of a device that moved away',
      { deviceId },
      { kind: 'device moved', deviceId, deviceGroupId: another },
      'DEVICE_MOVED',
    ],
    ['of a device that is in its group', { deviceId }, { kind: 'device moved', deviceId, deviceGroupId }, undefined],
    [
      'that a device flies that moved away',
      { deviceId, status: 'IN_PROGRESS' },
      { kind: 'device moved', deviceId, deviceGroupId: another },
      undefined,
    ],
    [
      'of another device than the moved one',
      { deviceId: other },
      { kind: 'device moved', deviceId, deviceGroupId: another },
      undefined,
    ],
  ])('a job %s', (_, change, fleetChange, reason) => {
    expect(whyStranded(job(change), fleetChange)).toBe(reason);
  });
});
