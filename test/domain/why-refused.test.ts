import { whyRefused } from '../../domain/job';
import { jobStatuses, mayMove } from '../../domain/job-lifecycle';
import { acme, rival, sampleJob } from './fixtures/samples';

const own = { owner: acme, job: sampleJob({ status: 'COMPLETED', version: 3 }) };
const foreign = { ...own, owner: rival };
const everything = { caller: acme, status: 'QUEUED', ifVersion: 2 } as const;

test.each([
  ['none is there, before anything else', undefined, everything, 'job_not_found'],
  ["it is another organisation's, before its version or status is told", foreign, everything, 'forbidden'],
  ['its version is another, before its status is', own, everything, 'stale_version'],
  ['the lifecycle has no such move', own, { ...everything, ifVersion: 3 }, 'invalid_request'],
])('A change is refused because %s.', (_, found, guard, code) => {
  expect(whyRefused(found, guard)?.code).toBe(code);
});

test.each([
  ['its version is the one that was seen', { caller: acme, ifVersion: 3 }],
  ['no version is asked for', { caller: acme }],
  ['it has the status already', { caller: acme, status: 'COMPLETED', ifVersion: 3 }],
] as const)('Nothing speaks against a change when %s.', (_, guard) => {
  expect(whyRefused(own, guard)).toBeUndefined();
});

const pairs = jobStatuses.flatMap((from) => jobStatuses.map((to) => [from, to] as const));

test.each(pairs)('From %s to %s is refused exactly when the lifecycle has no such move, naming both.', (from, to) => {
  const refusal = whyRefused({ owner: acme, job: sampleJob({ status: from }) }, { caller: acme, status: to });
  const expected =
    mayMove(from, to) || from === to ? undefined : [{ path: 'status', message: `can't move from ${from} to ${to}` }];
  expect(refusal?.details).toEqual(expected);
});
