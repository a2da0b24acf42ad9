import { whyRefused } from '../../domain/job';
import { jobStatuses, mayMove } from '../../domain/job-lifecycle';
import { acme, rival, sampleJob } from './fixtures/samples';

const own = { owner: acme, job: sampleJob({ status: 'COMPLETED', version: 3 }) };
const foreign = { ...own, owner: rival };
const allChecks = { caller: acme, status: 'QUEUED', ifVersions: [2] } as const;

test.each([
  ['it does not exist, before any other reason', undefined, allChecks, 'job_not_found'],
  ['it belongs to another organisation, before version and status are checked', foreign, allChecks, 'forbidden'],
  ['its version is another, before the status is checked', own, allChecks, 'stale_version'],
  ['the transition is not allowed', own, { ...allChecks, ifVersions: [3] }, 'invalid_request'],
])('a change is refused because %s', (_, found, guard, code) => {
  expect(whyRefused(found, guard)?.code).toBe(code);
});

test.each([
  ['the required version is that of the job', { caller: acme, ifVersions: [3] }],
  ['no version is required', { caller: acme }],
  ['it has the status already', { caller: acme, status: 'COMPLETED', ifVersions: [3] }],
] as const)('a change is allowed when %s', (_, guard) => {
  expect(whyRefused(own, guard)).toBeUndefined();
});

const pairs = jobStatuses.flatMap((from) => jobStatuses.map((to) => [from, to] as const));

test.each(pairs)('from %s to %s is refused exactly when the transition is not allowed, naming both', (from, to) => {
  const refusal = whyRefused({ owner: acme, job: sampleJob({ status: from }) }, { caller: acme, status: to });
  const expected =
    mayMove(from, to) || from === to ? undefined : [{ path: 'status', message: `can't move from ${from} to ${to}` }];
  expect(refusal?.details).toEqual(expected);
});
