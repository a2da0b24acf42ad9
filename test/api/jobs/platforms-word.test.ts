import { REPORTED_BY_PLATFORM } from '../../../domain/jobs/job-change';
import { jobStatuses, type JobStatus } from '../../../domain/jobs/job-lifecycle';
import { moveByReports } from '../../channels/reported-status';
import { clients } from '../client';
import { givenJob, givenJobThatIs, invalidAt, jobNow } from '../given';

const [partner] = clients('platforms-word');

const patch = (jobId: string, body: object) => partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body });

/** The ways on which the platform reports a job, each to another status. */
const ways: readonly (readonly JobStatus[])[] = [
  ['QUEUED'],
  ['QUEUED', 'IN_PROGRESS'],
  ['QUEUED', 'IN_PROGRESS', 'COMPLETED'],
  ['FAILED'],
];
const open = ['QUEUED', 'IN_PROGRESS'];

describe.each(ways.map((way) => ({ way, current: way.at(-1) ?? 'PENDING' })))(
  'A job that the platform has reported to be $current',
  ({ way, current }) => {
    let jobId: string;
    beforeAll(async () => {
      ({ jobId } = await givenJob(partner));
      await moveByReports(partner, jobId, ...way);
    });

    test.each(jobStatuses.filter((to) => to !== current && !(current === 'QUEUED' && to === 'CANCELLED')))(
      'is not made %s by its partner, and nothing else of the change is made',
      async (to) => {
        const before = await jobNow(partner, jobId);
        const message = open.includes(current) ? REPORTED_BY_PLATFORM : `can't move from ${current} to ${to}`;
        expect(await patch(jobId, { status: to })).toMatchObject(invalidAt('status', message));
        expect(await patch(jobId, { status: to, name: 'Other' })).toMatchObject(invalidAt('status', message));
        expect(await jobNow(partner, jobId)).toEqual(before);
      },
    );

    test('keeps its status without a change, and gets another name', async () => {
      const { version } = await jobNow(partner, jobId);
      const same = await patch(jobId, { status: current });
      expect([same.status, same.body.job.version]).toEqual([200, version]);
      const renamed = await patch(jobId, { status: current, name: 'Renamed' });
      expect(renamed.body.job).toMatchObject({ name: 'Renamed', status: current, version: version + 1 });
    });
  },
);

test('a job that the platform has queued can be cancelled by a PATCH', async () => {
  const { jobId } = await givenJob(partner);
  await moveByReports(partner, jobId, 'QUEUED');
  const { status, body } = await patch(jobId, { status: 'CANCELLED' });
  expect([status, body.job.status]).toEqual([200, 'CANCELLED']);
});

test('to cancel a job in flight is refused with the command that ends the flight, whoever began it', async () => {
  const { jobId } = await givenJob(partner);
  await moveByReports(partner, jobId, 'QUEUED', 'IN_PROGRESS');
  for (const flown of [jobId, await givenJobThatIs('IN_PROGRESS', partner)])
    expect(await partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId: flown } })).toMatchObject({
      status: 400,
      body: {
        error: 'Cannot cancel job',
        details: [
          {
            path: 'jobId',
            message: 'is in flight: send its device the command RETURN_HOME, by POST /v3/devices/{deviceId}/commands',
          },
        ],
      },
    });
});
