import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { newestProgress } from '../../../domain/jobs/progress';
import { id, sampleJob } from '../fixtures/samples';

const [reported, measured] = [{ percent: 10 }, { percent: 42, distanceLeft: 640, secondsLeft: 75 }];
const reportedAt = '2026-11-27T10:30:00.000Z';
const state = { timestamp: '2026-11-27T10:30:01.000Z', jobId: id('job'), progress: measured };
const flying = { status: 'IN_PROGRESS', progress: reported, reportedAt } as const;

describe('newestProgress', () => {
  test.each<[string, Parameters<typeof sampleJob>[0], Parameters<typeof newestProgress>[1], object | undefined]>([
    ['of the device, when that is later', flying, state, measured],
    ['of the device, when the platform has reported none', { ...flying, progress: undefined }, state, measured],
    ['of the device, when a partner has set the status', { ...flying, reportedAt: undefined }, state, measured],
    [
      'of the device, when it is earlier than a status that was reported without one',
      { ...flying, progress: undefined, reportedAt: '2026-11-27T10:31:00.000Z' },
      state,
      measured,
    ],
    [
      'that was reported, when the state is earlier',
      flying,
      { ...state, timestamp: '2026-11-27T10:29:59.999Z' },
      reported,
    ],
    ['that was reported, when the device says none', flying, { ...state, progress: undefined }, reported],
    [
      'that was reported, when the device flies another job',
      flying,
      { ...state, jobId: id('job', 'rival001') },
      reported,
    ],
    ['that was reported, when the device names no job', flying, { ...state, jobId: undefined }, reported],
    ['that was reported, when no device is known', flying, undefined, reported],
    ['of nobody, when nobody has said one', { status: 'IN_PROGRESS' }, undefined, undefined],
  ])('is that %s', (_, job, known, expected) => {
    expect(newestProgress(sampleJob(job), known)).toEqual(expected);
  });

  test.each(jobStatuses.filter((status) => status !== 'IN_PROGRESS'))(
    'of a job that is %s is what was reported',
    (status) => {
      expect(newestProgress(sampleJob({ ...flying, status }), state)).toEqual(reported);
      expect(newestProgress(sampleJob({ status }), state)).toBeUndefined();
    },
  );
});
