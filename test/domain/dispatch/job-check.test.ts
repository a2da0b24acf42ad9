import * as z from 'zod/mini';
import type { Candidate } from '../../../domain/dispatch/dispatch';
import { checkReport, judge, lacksDevice, questionOf, type CheckReport } from '../../../domain/dispatch/job-check';
import { id, sampleJob } from '../fixtures/samples';

const now = '2026-11-27T10:30:00.000Z';
const candidate = (reason?: Candidate['reason']): Candidate => ({
  deviceId: id('device'),
  distance: 412.6,
  etaSeconds: 71,
  ...(reason && { reason }),
});

test.each<[string, readonly Candidate[] | undefined, string | undefined, boolean]>([
  ['one is free', [candidate()], undefined, false],
  ['one of several is free', [candidate('BUSY'), candidate()], undefined, false],
  ['all are passed over', [candidate('BUSY'), candidate('OFFLINE')], undefined, true],
  ['none stands', [], undefined, true],
  ['there is no place to be near to', undefined, undefined, false],
  ['all are busy, and the job is for later', [candidate('BUSY')], '2026-11-27T10:30:00.001Z', false],
  ['none stands, and the job is for later', [], '2035-01-01T00:00:00.000Z', false],
  ['all are busy, and the job is for now', [candidate('BUSY')], now, true],
  ['all are busy, and the time of the job has just passed', [candidate('BUSY')], '2026-11-27T10:28:00.000Z', true],
])('whether a device is lacking when %s', (_, candidates, scheduledAt, expected) => {
  expect(lacksDevice(candidates, scheduledAt, now)).toBe(expected);
});

const needs = { length: 1200, durationSeconds: 210, charge: 11.5 };
const low = { code: 'LOW_BATTERY', limit: 75, actual: 138 };
const noDevice = { code: 'NO_DEVICE' };

test.each<[string, CheckReport | undefined, boolean, object]>([
  ['nothing is found', { ...needs, findings: [] }, false, { feasible: true, ...needs, findings: [] }],
  ['the platform tells nothing else', { findings: [] }, false, { feasible: true, findings: [] }],
  [
    'the platform finds something',
    { ...needs, findings: [low] },
    false,
    { feasible: false, ...needs, findings: [low] },
  ],
  [
    'a code is new',
    { findings: [{ code: 'SOLAR_STORM' }] },
    false,
    { feasible: false, findings: [{ code: 'SOLAR_STORM' }] },
  ],
  ['the platform is silent', undefined, false, { feasible: false, findings: [{ code: 'UNDECIDED' }] }],
  [
    'it is silent, and no device is free',
    undefined,
    true,
    { feasible: false, findings: [noDevice, { code: 'UNDECIDED' }] },
  ],
  ['no device is free', { ...needs, findings: [] }, true, { feasible: false, ...needs, findings: [noDevice] }],
  ['both know of no device', { findings: [low, noDevice] }, true, { feasible: false, findings: [low, noDevice] }],
])('what is decided when %s', (_, report, isWithoutDevice, expected) => {
  expect(judge(report, isWithoutDevice)).toEqual(expected);
});

test('the platform is asked about the flight, and told neither the name nor what only a job has', () => {
  const job = sampleJob({
    deviceId: id('device'),
    missionId: 'mission-42',
    flight: { height: 60 },
    metadata: { a: 1 },
  });
  expect(questionOf(job)).toEqual({
    deviceGroupId: job.deviceGroupId,
    deviceId: job.deviceId,
    missionId: 'mission-42',
    flight: { height: 60 },
    metadata: { a: 1 },
  });
});

test.each<[string, object]>([
  ['without findings', {}],
  ['with more than a hundred', { findings: Array.from({ length: 101 }, () => low) }],
  ['with a code in small letters', { findings: [{ code: 'low' }] }],
  ['without a code', { findings: [{ limit: 75 }] }],
  ['of half a waypoint', { findings: [{ code: 'A', waypoint: 0.5 }] }],
  ['of a waypoint before the first', { findings: [{ code: 'A', waypoint: -1 }] }],
  ['of a length below 0', { length: -1, findings: [] }],
  ['of a charge as a text', { charge: '11', findings: [] }],
])('a report %s is refused', (_, report) => {
  expect(z.safeParse(checkReport, report).success).toBe(false);
});
