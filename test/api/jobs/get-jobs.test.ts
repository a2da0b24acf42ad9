import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { clients, type Call } from '../client';
import { fleetOf, givenJob, givenJobThatIs, invalidAt } from '../given';
import { iso } from '../iso';

const makers = clients('list-jobs');
const [partner] = makers;
const [stranger] = clients('stranger');

const { deviceGroupId, deviceId, otherGroupId } = fleetOf(partner);

const list = (query: Record<string, string> = {}) => partner.call('GET /v3/jobs', { query });

/** Every page of a list, from the first. */
async function pagesOf(query: Record<string, string>) {
  const pages = [await list(query)];
  for (let token = pages[0]?.body.nextToken; token; token = pages.at(-1)?.body.nextToken)
    pages.push(await list({ ...query, nextToken: token }));
  expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
  return pages.map(({ body }) => body.jobs);
}

/**
 * 120 jobs, of which five are QUEUED and six name a device; created concurrently by three clients, so that none reaches
 * its rate limit.
 */
let created: string[];
let queued: string[];
beforeAll(async () => {
  const makeMany = makers.flatMap((client) =>
    Array.from({ length: 40 }, async (_, index) => {
      const fields = { name: `Survey ${index}`, ...(index < 2 && { deviceId }) };
      return (await givenJob(client, fields)).jobId;
    }),
  );
  created = await Promise.all(makeMany);
  queued = created.slice(0, 5);
  for (const jobId of queued)
    await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status: 'QUEUED' } });
});

describe('GET /v3/jobs', () => {
  test('lists 50 jobs by default, each as a summary', async () => {
    const { status, body } = await list();
    expect([status, Object.keys(body).sort()]).toEqual([200, ['count', 'jobs', 'nextToken', 'success']]);
    expect([body.success, body.count, body.jobs.length]).toEqual([true, 50, 50]);
    const summary = {
      jobId: expect.any(String) as string,
      name: expect.stringMatching(/^Survey \d+$/) as string,
      status: expect.stringMatching(/^(PENDING|QUEUED)$/) as string,
      priority: 5,
      deviceGroupId,
      createdAt: iso,
    };
    expect(body.jobs).toEqual(
      body.jobs.map(({ deviceId: named }) => ({ ...summary, ...(named !== undefined && { deviceId }) })),
    );
  });

  test('lists every job once, newest first, over all pages', async () => {
    const pages = await pagesOf({ limit: '50' });
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 20]);
    const jobs = pages.flat();
    expect(jobs.map(({ jobId }) => jobId).sort()).toEqual([...created].sort());
    const moments = jobs.map(({ createdAt }) => createdAt);
    expect(moments).toEqual([...moments].sort().reverse());
  });

  test('ends without a token when the last page is full', async () => {
    expect((await pagesOf({ limit: '40' })).map(({ length }) => length)).toEqual([40, 40, 40]);
  });

  test('filters by status, over all pages', async () => {
    const pages = await pagesOf({ status: 'QUEUED', limit: '2' });
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(
      pages
        .flat()
        .map(({ jobId, status }) => `${jobId} ${status}`)
        .sort(),
    ).toEqual(queued.map((jobId) => `${jobId} QUEUED`).sort());
    expect((await pagesOf({ status: 'PENDING', limit: '100' })).flat()).toHaveLength(115);
  });

  test.each([
    ['a device', { deviceId }, 6],
    ['a device and a status', { deviceId, status: 'QUEUED' }, 2],
    ['a group', { deviceGroupId }, 120],
    ['a group and a device', { deviceGroupId, deviceId }, 6],
    ['a device and a group that it isn’t in', { deviceGroupId: otherGroupId, deviceId }, 0],
    ['all three', { deviceGroupId, deviceId, status: 'PENDING' }, 4],
    ['a device of another organisation', { deviceId: fleetOf(stranger).deviceId }, 0],
    ['no identifier at all', { deviceId: 'x' }, 0],
  ])('filters by %s, over all pages', async (_, query, count) => {
    const found = (await pagesOf({ ...query, limit: '5' })).flat();
    expect(new Set(found.map(({ jobId }) => jobId)).size).toBe(count);
    for (const [name, value] of Object.entries(query))
      expect(found).toEqual(found.map(() => expect.objectContaining({ [name]: value }) as object));
  });

  test.each(jobStatuses)('accepts the status %s', async (status) => {
    const { body } = await list({ status });
    expect(body.jobs.every((job) => job.status === status)).toBe(true);
  });

  test('answers with an empty list when no job has the status', async () => {
    const { body } = await list({ status: 'FAILED' });
    expect(body).toEqual({ success: true, jobs: [], count: 0 });
  });

  test.each(['101', '1000', '999999999'])('serves a limit of %s as 100', async (limit) => {
    const { body } = await list({ limit });
    expect([body.count, typeof body.nextToken]).toEqual([100, 'string']);
  });

  test.each(['0', '-1', 'abc', '1.5', '', ' 5', '1e2', '0x10', '9'.repeat(40)])(
    'answers 400 to a limit of "%s"',
    async (limit) => {
      expect(await list({ limit })).toMatchObject(invalidAt('limit', 'must be an integer of 1 or more'));
    },
  );

  test.each(['DONE', 'pending', '', 'PENDING,QUEUED'])('answers 400 to the status "%s"', async (status) => {
    expect(await list({ status })).toMatchObject(invalidAt('status'));
  });

  test('answers 400 for a parameter that is unknown or given twice', async () => {
    const known = '(known: deviceGroupId, deviceId, limit, nextToken, status)';
    expect(await list({ stauts: 'QUEUED' })).toMatchObject(
      invalidAt('stauts', `unknown parameter; did you mean status? ${known}`),
    );
    expect(await list({ page: '2' })).toMatchObject(invalidAt('page', `unknown parameter ${known}`));
    const twice = { query: new URLSearchParams('limit=1&limit=2') } as unknown as Call<'GET /v3/jobs'>;
    expect(await partner.call('GET /v3/jobs', twice)).toMatchObject(invalidAt('limit', 'must be given once'));
  });

  test('answers 400 for a page token of another list', async () => {
    const token = (await list({ limit: '1' })).body.nextToken ?? '';
    const refused = invalidAt('nextToken');
    expect(token).not.toBe('');
    for (const bent of [token.slice(0, -4), token.slice(4), `${token}AAAA`, 'abc', '%00', '', '🛩️', 'x'.repeat(2000)])
      expect(await list({ nextToken: bent })).toMatchObject(refused);
    expect(await list({ nextToken: token, status: 'PENDING' })).toMatchObject(refused);
    expect(await list({ nextToken: token, deviceId })).toMatchObject(refused);
    expect(await partner.call('GET /v3/shares', { query: { nextToken: token } })).toMatchObject(refused);
    expect(await stranger.call('GET /v3/jobs', { query: { nextToken: token } })).toMatchObject(refused);
  });

  test('lists no job of another organisation', async () => {
    const jobId = await givenJobThatIs('PENDING', stranger);
    expect((await pagesOf({ limit: '100' })).flat().map((job) => job.jobId)).not.toContain(jobId);
    const { body } = await stranger.call('GET /v3/jobs');
    expect(body.jobs.filter((job) => created.includes(job.jobId))).toEqual([]);
  });
});

describe('GET /v3/jobs/{jobId}', () => {
  const get = (jobId: string) => partner.call('GET /v3/jobs/{jobId}', { path: { jobId } });

  /** Where to follow a job. */
  const linksOf = (jobId: string) => ({
    mqttTopic: `${jobId}/JOB/STATUS`,
    webSocketPath: `/v3/jobs/${jobId}/status/ws`,
  });

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
