import { cannotCancel, whyChangeRefused } from '../../../domain/jobs/job-change';
import { jobStatuses, mayMove, type JobStatus } from '../../../domain/jobs/job-lifecycle';
import { PLATFORM, SERVICE } from '../../../domain/values/service';
import { acme, rival, sampleJob } from '../fixtures/samples';

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
 * What becomes of a partner's change of a job on which the platform has reported, from (rows) to (columns): `same` is no change, `flown`
 * is the platform's to report, `move` is none of the lifecycle.
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
