import { clients, send } from '../client';
import { foreignAt, givenJob, iso, jobNow } from '../given';

const [partner] = clients('cancel-job');
const [stranger] = clients('stranger');

const cancel = (jobId: string, client = partner) => client.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } });

describe('POST /v3/jobs/{jobId}/cancel', () => {
  test('answers with the job, its status and when it was cancelled', async () => {
    const { jobId } = await givenJob(partner);
    const { status, body } = await cancel(jobId);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, job: { jobId, status: 'CANCELLED', cancelledAt: iso } });
  });

  test('succeeds for one of 20 concurrent requests', async () => {
    const { jobId } = await givenJob(partner);
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(jobId)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 400);
    expect(refused.map(({ body }) => body)).toEqual(Array(19).fill({ error: 'Cannot cancel job' }));
    expect(await jobNow(partner, jobId)).toMatchObject({ status: 'CANCELLED', version: 2 });
  });

  test('ends in one status when a cancel and a start are concurrent', async () => {
    const { jobId } = await givenJob(partner);
    const start = { path: { jobId }, body: { status: 'QUEUED' } };
    await partner.call('PATCH /v3/jobs/{jobId}', start);
    const run = { path: { jobId }, body: { status: 'IN_PROGRESS' } };
    const [cancelled, started] = await Promise.all([cancel(jobId), partner.call('PATCH /v3/jobs/{jobId}', run)]);
    expect([cancelled.status, started.status].sort()).toEqual([200, 400]);
    expect((await jobNow(partner, jobId)).status).toBe(cancelled.status === 200 ? 'CANCELLED' : 'IN_PROGRESS');
  });

  test("answers 403 for another organisation's job, also when it can't be cancelled", async () => {
    const { jobId } = await givenJob(partner);
    await cancel(jobId);
    expect(await cancel(jobId, stranger)).toMatchObject({ status: 403, body: foreignAt('jobId') });
  });

  test('ignores the body', async () => {
    const authorization = `Bearer ${await partner.token()}`;
    for (const body of ['', '{', '[]', '{"status":"FAILED"}']) {
      const { jobId } = await givenJob(partner);
      const answer = await send('POST', `/v3/jobs/${jobId}/cancel`, { headers: { authorization }, body });
      expect(answer).toMatchObject({ status: 200, body: { job: { status: 'CANCELLED' } } });
    }
  });
});
