import { clients } from '../client';
import { givenJob, jobNow, nobodys } from '../given';

const [partner] = clients('delete-job');
const [stranger] = clients('stranger');

const remove = (jobId: string, client = partner) => client.call('DELETE /v3/jobs/{jobId}', { path: { jobId } });
const notFound = { status: 404, body: { error: 'Job not found' } };

describe('DELETE /v3/jobs/{jobId}', () => {
  it('says that the job is deleted, and so it is', async () => {
    const { jobId } = await givenJob(partner);
    const { status, body } = await remove(jobId);
    expect([status, body]).toEqual([200, { success: true, message: 'Job deleted successfully' }]);
    expect(await partner.call('GET /v3/jobs/{jobId}', { path: { jobId } })).toMatchObject(notFound);
    const patch = { path: { jobId }, body: { priority: 2 } };
    expect(await partner.call('PATCH /v3/jobs/{jobId}', patch)).toMatchObject(notFound);
    expect(await partner.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } })).toMatchObject(notFound);
    expect((await partner.call('GET /v3/jobs')).body.jobs.map((job) => job.jobId)).not.toContain(jobId);
  });

  it('answers 404 to a job that there is not, or no more', async () => {
    const { jobId } = await givenJob(partner);
    await remove(jobId);
    for (const unknown of [jobId, 'none', nobodys(jobId)]) expect(await remove(unknown)).toMatchObject(notFound);
  });

  it('deletes once when it is asked ten times at once', async () => {
    const { jobId } = await givenJob(partner);
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => remove(jobId)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array<number>(9).fill(404)]);
  });

  it("answers 403 to another organisation's job, which stays", async () => {
    const { jobId } = await givenJob(partner);
    const { status, body } = await remove(jobId, stranger);
    expect([status, body]).toEqual([403, { error: 'Forbidden' }]);
    expect((await jobNow(partner, jobId)).jobId).toBe(jobId);
  });
});
