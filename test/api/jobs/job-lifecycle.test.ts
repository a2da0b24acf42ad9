import { cannotCancel } from '../../../domain/jobs/job-change';
import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { clients, send } from '../client';
import { givenJobThatIs, invalidAt, jobNow, moves, foreignAt, givenJob } from '../given';
import { iso } from '../iso';

describe('The lifecycle of a job', () => {
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
});

describe('POST /v3/jobs/{jobId}/cancel', () => {
  const [first, , partner = first] = clients('job-lifecycle');
  const [stranger] = clients('stranger');

  const cancel = (jobId: string, client = partner) => client.call('POST /v3/jobs/{jobId}/cancel', { path: { jobId } });

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

describe('DELETE /v3/jobs/{jobId}', () => {
  const [first, , partner = first] = clients('job-lifecycle');

  const remove = (jobId: string) => partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId } });
  const notFound = { status: 404, body: { error: 'Job not found' } };

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
