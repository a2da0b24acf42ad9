import { clients } from '../client';
import { fleetOf, foreignAt, givenJob, iso, nobodys } from '../given';

const [partner] = clients('get-job');
const [stranger] = clients('stranger');
const { deviceGroupId, deviceId } = fleetOf(partner);

const get = (jobId: string) => partner.call('GET /v3/jobs/{jobId}', { path: { jobId } });

describe('GET /v3/jobs/{jobId}', () => {
  test('answers with every field of the job, and its version as ETag', async () => {
    const fields = { description: 'All of it', missionId: 'm-1', deviceId, priority: 7, metadata: { a: 1 } };
    const { jobId } = await givenJob(partner, { ...fields, scheduledAt: '2031-01-02T03:04:05Z' });
    const { status, headers, body } = await get(jobId);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      job: {
        jobId,
        name: 'Survey',
        deviceGroupId,
        ...fields,
        scheduledAt: '2031-01-02T03:04:05.000Z',
        status: 'PENDING',
        createdAt: iso,
        version: 1,
      },
    });
    expect(headers.get('etag')).toBe('"1"');
  });

  test('omits fields that the job does not have', async () => {
    const { jobId } = await givenJob(partner);
    const { body } = await get(jobId);
    const job = { jobId, name: 'Survey', deviceGroupId, status: 'PENDING', priority: 5, createdAt: iso, version: 1 };
    expect(body).toEqual({ success: true, job });
  });

  test('answers 404 for an unknown job', async () => {
    const { jobId } = await givenJob(partner);
    for (const unknown of ['none', nobodys(jobId), jobId.toUpperCase(), deviceGroupId, jobId.replace('job', 'group')]) {
      const { status, body } = await get(unknown);
      expect([status, body]).toEqual([404, { error: 'Job not found' }]);
    }
  });

  test("answers 403 for another organisation's job, and 404 for one that it never had", async () => {
    const { jobId } = await givenJob(stranger);
    const foreign = await get(jobId);
    expect([foreign.status, foreign.body]).toEqual([403, foreignAt('jobId')]);
    expect((await get(nobodys(jobId))).status).toBe(404);
  });
});
