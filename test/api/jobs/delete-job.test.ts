import { clients } from '../client';
import { givenJob } from '../given';

const [partner] = clients('delete-job');

const remove = (jobId: string) => partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId } });
const notFound = { status: 404, body: { error: 'Job not found' } };

describe('DELETE /v3/jobs/{jobId}', () => {
  test('deletes the job for every endpoint', async () => {
    const { jobId } = await givenJob(partner);
    const { status, body } = await remove(jobId);
    expect([status, body]).toEqual([200, { success: true, message: 'Job deleted successfully' }]);
    expect(await partner.call('GET /v3/jobs/{jobId}', { path: { jobId } })).toMatchObject(notFound);
    const patch = { path: { jobId }, body: { priority: 2 } };
    expect(await partner.call('PATCH /v3/jobs/{jobId}', patch)).toMatchObject(notFound);
    expect(await partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } })).toMatchObject(notFound);
    expect((await partner.call('GET /v3/jobs')).body.jobs.map((job) => job.jobId)).not.toContain(jobId);
  });

  test('succeeds for one of ten concurrent requests', async () => {
    const { jobId } = await givenJob(partner);
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => remove(jobId)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array<number>(9).fill(404)]);
  });
});
