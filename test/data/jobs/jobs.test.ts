import { DeleteCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { findJob, insertJob, jobFromItem, jobToItem, readJobPage, removeJob } from '../../../data/jobs/jobs';
import { pageToken } from '../../../domain/values/page-token';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { storeOnEngine } from '../fixtures/engine';
import { conditionFailed, onlyCommand, repeated, store, values } from '../fixtures/store';
import { fc } from '../../property-runs';

const engine = storeOnEngine('jobs');
const item = (organisation = acme) => jobToItem(organisation, sampleJob());
const summary = {
  jobId: id('job'),
  name: 'Rim',
  status: 'PENDING',
  priority: 5,
  deviceGroupId: id('group'),
  createdAt: '2026-11-27T10:00:00.000Z',
};

describe('findJob', () => {
  test('returns the stored job by a consistent read', async () => {
    store.on(GetCommand).resolves({ Item: { ...item(), changeId: 'request-0' } });
    await expect(findJob(acme, id('job'))).resolves.toEqual(sampleJob());
    expect(onlyCommand()).toEqual({
      TableName: 'jobs',
      Key: { organisation: acme, jobId: id('job') },
      ConsistentRead: true,
    });
  });

  test('fails with job_not_found when the job does not exist', async () => {
    store.on(GetCommand).resolves({});
    await expect(findJob(acme, id('job'))).rejects.toMatchObject({ code: 'job_not_found' });
  });

  test('refuses a job of another organisation, which it reads from that partition', async () => {
    store.on(GetCommand).resolves({ Item: item(rival) });
    await expect(findJob(acme, id('job', rival))).rejects.toMatchObject({ code: 'forbidden' });
    expect(onlyCommand()['Key']).toEqual({ organisation: rival, jobId: id('job', rival) });
  });

  test('answers job_not_found for an unknown job of any organisation', async () => {
    store.on(GetCommand).resolves({});
    await expect(findJob(acme, id('job', rival))).rejects.toMatchObject({ code: 'job_not_found' });
  });

  test.each(['job', 'device-acme0001-01jd0000000000000000000000', '../secrets', '__proto__'])(
    'sends no command for %s, which is not a job id',
    async (odd) => {
      await expect(findJob(acme, odd)).rejects.toMatchObject({ code: 'job_not_found' });
      expect(store).not.toHaveReceivedAnyCommand();
    },
  );

  test.each([
    ['has no status', { status: undefined }],
    ['has a status that does not exist', { status: 'LOST' }],
    ['has a version that is text', { version: '3' }],
    ['has no organisation', { organisation: undefined }],
    ['has metadata that is not an object', { metadata: '[]' }],
    ['has metadata that was truncated', { metadata: '{"a":' }],
  ])('fails for an item that %s, instead of job_not_found', async (_, fault) => {
    store.on(GetCommand).resolves({ Item: { ...item(), ...fault } });
    const failure: unknown = await findJob(acme, id('job')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toHaveProperty('code');
  });
});

test('an item is parsed as the same job, whatever its metadata', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (metadata) => {
      const job = sampleJob({ metadata: JSON.parse(JSON.stringify(metadata)) as Record<string, unknown> });
      expect(jobFromItem(jobToItem(acme, job))).toEqual({
        owner: acme,
        changeId: undefined,
        hasReports: false,
        followed: {},
        flightTimes: {},
        job,
      });
    }),
  );
});

describe('insertJob', () => {
  test('stores the job, with the key of the index by status, and leaves one that is there', async () => {
    await insertJob({ organisation: acme, clientId: 'client1' }, sampleJob({ metadata: { site: 'north' } }));
    const inserted = {
      ...item(),
      organisationStatus: `${acme}#PENDING`,
      metadata: '{"site":"north"}',
      createdBy: 'client1',
    };
    expect(await engine.all('jobs')).toEqual([inserted]);
    // The SDK retried a put whose response was lost.
    await expect(
      insertJob({ organisation: acme, clientId: 'client1' }, sampleJob({ name: 'Other' })),
    ).resolves.toBeUndefined();
    expect(await engine.all('jobs')).toEqual([inserted]);
  });
});

describe('listJobs', () => {
  test('is one consistent query, newest first, for one more than the limit', async () => {
    store.on(QueryCommand).resolves({ Items: [summary] });
    await expect(readJobPage(acme, { limit: 50 })).resolves.toEqual({ jobs: [summary], nextToken: undefined });
    expect(onlyCommand()).toMatchObject({ ScanIndexForward: false, ConsistentRead: true, Limit: 51 });
    expect(values()).toEqual({ ':key': acme });
    expect(onlyCommand()).not.toHaveProperty('ExclusiveStartKey');
  });

  test('queries the index for a status', async () => {
    store.on(QueryCommand).resolves({ Items: [] });
    await readJobPage(acme, { limit: 50, status: 'QUEUED' });
    expect(onlyCommand()).toMatchObject({ IndexName: 'by-status' });
    expect(onlyCommand()).not.toHaveProperty('ConsistentRead');
    expect(values()).toEqual({ ':key': `${acme}#QUEUED` });
  });

  test.each([
    [undefined, {}],
    ['QUEUED', { organisationStatus: `${acme}#QUEUED` }],
  ] as const)('continues after the page before (status %s)', async (status, indexKey) => {
    const key = { organisation: acme, jobId: id('job'), ...indexKey };
    store.on(QueryCommand).resolves({ Items: [summary], LastEvaluatedKey: key });
    const { nextToken } = await readJobPage(acme, { limit: 1, status });
    store.resetHistory();
    await readJobPage(acme, { limit: 1, status, nextToken });
    expect(onlyCommand()['ExclusiveStartKey']).toEqual(key);
  });

  test('returns a token only when another job follows', async () => {
    const older = { ...summary, jobId: id('job', acme, '01jc0000000000000000000000') };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [summary] })
      .resolvesOnce({ Items: [summary, older] });
    await expect(readJobPage(acme, { limit: 1 })).resolves.toEqual({ jobs: [summary], nextToken: undefined });
    await expect(readJobPage(acme, { limit: 1 })).resolves.toEqual({
      jobs: [summary],
      nextToken: pageToken(`jobs ${acme} `, summary.jobId),
    });
  });

  describe('filtered by device and group', () => {
    const others = id('device', acme, '01jd0000000000000000000009');
    const jobs = ['1', '2', '3', '4', '5'].map((end) => ({
      ...item(),
      organisationStatus: `${acme}#PENDING`,
      jobId: id('job', acme, end.padStart(26, '0')),
      deviceId: end === '3' ? others : id('device'),
    }));
    const idsOf = (page: { jobs: readonly { jobId: string }[] }) =>
      page.jobs.map(({ jobId }) => Number(jobId.slice(-1)));

    test.each([undefined, 'PENDING'] as const)('finds them page by page (status %s)', async (status) => {
      await engine.put('jobs', ...jobs);
      const query = { limit: 2, status, deviceId: id('device'), deviceGroupId: id('group') };
      const first = await readJobPage(acme, query);
      const second = await readJobPage(acme, { ...query, nextToken: first.nextToken });
      expect([first, second].map(idsOf)).toEqual([
        [5, 4],
        [2, 1],
      ]);
      expect(second.nextToken).toBeUndefined();
      await expect(readJobPage(acme, { ...query, deviceId: others, nextToken: first.nextToken })).rejects.toMatchObject(
        {
          code: 'invalid_request',
        },
      );
    });

    test('looks at a thousand jobs at most', async () => {
      store.on(QueryCommand).resolves({ LastEvaluatedKey: { organisation: acme, jobId: id('job') } });
      const page = await readJobPage(acme, { limit: 2, deviceId: others });
      expect(onlyCommand()).toMatchObject({ Limit: 1000 });
      expect(page).toEqual({ jobs: [], nextToken: expect.any(String) as string });
    });
  });

  test('returns a token with an empty page when DynamoDB stopped early', async () => {
    store.on(QueryCommand).resolves({ LastEvaluatedKey: { organisation: acme, jobId: id('job') } });
    const page = await readJobPage(acme, { limit: 1 });
    expect(page).toEqual({ jobs: [], nextToken: expect.any(String) as string });
  });

  test.each([
    ["another organisation's list", `jobs ${rival} `],
    ['another status', `jobs ${acme} FAILED`],
    ['the list of shares', `shares ${acme}`],
  ])('refuses the token of %s without a command', async (_, list) => {
    const page = { limit: 1, nextToken: pageToken(list, id('job')) };
    await expect(readJobPage(acme, page)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('skips an item that is not a job', async () => {
    jest.spyOn(console, 'error').mockReturnValue();
    store.on(QueryCommand).resolves({ Items: [{ ...summary, priority: 'high' }, summary] });
    await expect(readJobPage(acme, { limit: 2 })).resolves.toMatchObject({ jobs: [summary] });
  });
});

describe('deleteJob', () => {
  test('deletes a job by one command', async () => {
    await engine.put('jobs', item());
    await expect(removeJob(acme, id('job'))).resolves.toBeUndefined();
    expect(await engine.all('jobs')).toEqual([]);
    expect(store.calls()).toHaveLength(1);
    await expect(removeJob(acme, id('job'))).rejects.toMatchObject({ code: 'job_not_found' });
  });

  test('refuses a job of another organisation, and leaves it', async () => {
    const others = { ...item(rival), jobId: id('job', rival) };
    await engine.put('jobs', others);
    await expect(removeJob(acme, others.jobId)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await engine.all('jobs')).toEqual([others]);
  });

  test('passes on the error when no reason is found', async () => {
    const fault = conditionFailed(item(acme));
    store.on(DeleteCommand).rejects(fault);
    await expect(removeJob(acme, id('job'))).rejects.toBe(fault);
  });

  test('succeeds when a retry by the SDK finds the job deleted', async () => {
    store.on(DeleteCommand).rejects(repeated());
    await expect(removeJob(acme, id('job'))).resolves.toBeUndefined();
  });

  test('refuses a job of another organisation also on a retry by the SDK', async () => {
    store.on(DeleteCommand).rejects(repeated(item(rival)));
    await expect(removeJob(acme, id('job', rival))).rejects.toMatchObject({ code: 'forbidden' });
  });
});
