import { clients } from '../client';
import { fleetOf, givenJob, iso } from '../given';

const [partner] = clients('get-job');
const { deviceGroupId, deviceId } = fleetOf(partner);

const get = (jobId: string) => partner.call('GET /v3/jobs/{jobId}', { path: { jobId } });

/** Where to follow a job. */
const linksOf = (jobId: string) => ({
  mqttTopic: `${jobId}/JOB/STATUS`,
  webSocketPath: `/v3/jobs/${jobId}/status/ws`,
});

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
        links: linksOf(jobId),
      },
    });
    expect(headers.get('etag')).toBe('"1"');
  });

  test('omits fields that the job does not have', async () => {
    const { jobId } = await givenJob(partner);
    const { body } = await get(jobId);
    const job = { jobId, name: 'Survey', deviceGroupId, status: 'PENDING', priority: 5, createdAt: iso, version: 1 };
    expect(body).toEqual({ success: true, job: { ...job, links: linksOf(jobId) } });
  });
});
