import { cannotCancel } from '../../../domain/jobs/job-change';
import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { clients } from '../client';
import { givenJobThatIs, invalidAt, jobNow, moves } from '../given';

const [partner, second = partner] = clients('job-lifecycle');
const cancellable = ['PENDING', 'QUEUED'];

const setStatus = (jobId: string, body: object) => partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body });

describe('PATCH /v3/jobs/{jobId}', () => {
  test.each(moves.filter(({ allowed }) => allowed))('moves a job from $from to $to', async ({ from, to }) => {
    const jobId = await givenJobThatIs(from, partner);
    const { version } = await jobNow(partner, jobId);
    const { status, body } = await setStatus(jobId, { status: to });
    expect([status, body.job.status, body.job.version]).toEqual([200, to, version + 1]);
    expect((await jobNow(partner, jobId)).status).toBe(to);
  });

  test.each(moves.filter(({ from, to, allowed }) => !allowed && from !== to))(
    'answers 400 that names both statuses for a move from $from to $to',
    async ({ from, to }) => {
      const jobId = await givenJobThatIs(from, second);
      const before = await jobNow(partner, jobId);
      const refused = invalidAt('status', `can't move from ${from} to ${to}`);
      expect(await setStatus(jobId, { status: to })).toMatchObject(refused);
      expect(await setStatus(jobId, { status: to, priority: 1 })).toMatchObject(refused);
      expect(await jobNow(partner, jobId)).toEqual(before);
    },
  );

  test.each(jobStatuses)('takes the current status %s for no change', async (status) => {
    const jobId = await givenJobThatIs(status, partner);
    const before = await jobNow(partner, jobId);
    const again = await setStatus(jobId, { status });
    expect([again.status, again.body.job.version]).toEqual([200, before.version]);
    expect(await jobNow(partner, jobId)).toEqual(before);
    const renamed = await setStatus(jobId, { status, name: 'Renamed' });
    expect(renamed.body.job).toMatchObject({ name: 'Renamed', status, version: before.version + 1 });
  });
});

describe('POST /v3/jobs/{jobId}/cancel', () => {
  test.each(jobStatuses)('cancels only a PENDING or QUEUED job: %s', async (status) => {
    const jobId = await givenJobThatIs(status, partner);
    const before = await jobNow(partner, jobId);
    const answer = await partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } });
    if (cancellable.includes(status)) {
      expect([answer.status, answer.body.job.status]).toEqual([200, 'CANCELLED']);
      expect(await jobNow(partner, jobId)).toEqual({ ...before, status: 'CANCELLED', version: before.version + 1 });
    } else {
      const { details } = cannotCancel(status);
      const refusal = { error: 'Cannot cancel job', ...(details.length > 0 && { details }) };
      expect([answer.status, answer.body]).toEqual([400, refusal]);
      expect(await jobNow(partner, jobId)).toEqual(before);
    }
  });
});

describe('DELETE /v3/jobs/{jobId}', () => {
  test.each(jobStatuses)('deletes a job that is %s', async (status) => {
    const jobId = await givenJobThatIs(status, second);
    expect((await partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId } })).status).toBe(200);
    expect((await partner.call('GET /v3/jobs/{jobId}', { path: { jobId } })).status).toBe(404);
    const { body } = await partner.call('GET /v3/jobs', { query: { status, limit: '100' } });
    expect(body.jobs.map((job) => job.jobId)).not.toContain(jobId);
  });
});
