import fc from 'fast-check';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand } from '../../../data/store/document-client';
import { fromItem, toItem } from '../../../data/jobs/job-item';
import { deleteJob, findJob, insertJob, listJobs } from '../../../data/jobs/jobs';
import { pageToken } from '../../../domain/page-token';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { conditionFailed, onlyCommand, repeated, store, values } from '../fixtures/store';

const item = (organisation = acme) => toItem(organisation, sampleJob());
const summary = {
  jobId: id('job'),
  name: 'Rim',
  status: 'PENDING',
  priority: 5,
  createdAt: '2026-11-27T10:00:00.000Z',
};

describe('Finding a job', () => {
  test('gives it back as it was kept, read as of now.', async () => {
    store.on(GetCommand).resolves({ Item: { ...item(), changeId: 'request-0' } });
    await expect(findJob(acme, id('job'))).resolves.toEqual(sampleJob());
    expect(onlyCommand()).toEqual({
      TableName: 'jobs',
      Key: { organisation: acme, jobId: id('job') },
      ConsistentRead: true,
    });
  });

  test('finds none where none is.', async () => {
    store.on(GetCommand).resolves({});
    await expect(findJob(acme, id('job'))).rejects.toMatchObject({ code: 'job_not_found' });
  });

  test("refuses another organisation's, which it looks for where that one's are.", async () => {
    store.on(GetCommand).resolves({ Item: item(rival) });
    await expect(findJob(acme, id('job', rival))).rejects.toMatchObject({ code: 'forbidden' });
    expect(onlyCommand()['Key']).toEqual({ organisation: rival, jobId: id('job', rival) });
  });

  test("does not tell an unknown job of another organisation from one of one's own.", async () => {
    store.on(GetCommand).resolves({});
    await expect(findJob(acme, id('job', rival))).rejects.toMatchObject({ code: 'job_not_found' });
  });

  test.each(['job', 'device-acme0001-01jd0000000000000000000000', '../secrets', '__proto__'])(
    'asks the store nothing for %s, which is no identifier of a job.',
    async (odd) => {
      await expect(findJob(acme, odd)).rejects.toMatchObject({ code: 'job_not_found' });
      expect(store).not.toHaveReceivedAnyCommand();
    },
  );

  test.each([
    ['has no status', { status: undefined }],
    ['has a status that does not exist', { status: 'PAUSED' }],
    ['has a version that is text', { version: '3' }],
    ['belongs to nobody', { organisation: undefined }],
    ['has metadata that is no object', { metadata: '[]' }],
    ['has metadata that was cut', { metadata: '{"a":' }],
  ])('is an error when what was kept %s: a defect is not a missing job.', async (_, fault) => {
    store.on(GetCommand).resolves({ Item: { ...item(), ...fault } });
    const failure: unknown = await findJob(acme, id('job')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toHaveProperty('code');
  });
});

test('What a job is kept as gives the same job back, whatever its metadata.', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (metadata) => {
      const job = sampleJob({ metadata: JSON.parse(JSON.stringify(metadata)) as Record<string, unknown> });
      expect(fromItem(toItem(acme, job))).toEqual({ owner: acme, changeId: undefined, job });
    }),
  );
});

describe('Keeping a job', () => {
  test('is one put that finds nothing in its place.', async () => {
    store.on(PutCommand).resolves({});
    await insertJob(acme, sampleJob({ metadata: { site: 'north' } }));
    expect(onlyCommand()).toMatchObject({
      TableName: 'jobs',
      ConditionExpression: 'attribute_not_exists(jobId)',
      Item: { organisation: acme, organisationStatus: `${acme}#PENDING`, metadata: '{"site":"north"}' },
    });
  });

  test('is done when the SDK repeats a put whose answer got lost.', async () => {
    store.on(PutCommand).rejects(conditionFailed());
    await expect(insertJob(acme, sampleJob())).resolves.toBeUndefined();
  });
});

describe('Listing jobs', () => {
  test('is one query, newest first, as of now, for one more than the page is to hold.', async () => {
    store.on(QueryCommand).resolves({ Items: [summary] });
    await expect(listJobs(acme, { limit: 50 })).resolves.toEqual({ jobs: [summary], nextToken: undefined });
    expect(onlyCommand()).toMatchObject({ ScanIndexForward: false, ConsistentRead: true, Limit: 51 });
    expect(values()).toEqual({ ':key': acme });
    expect(onlyCommand()).not.toHaveProperty('ExclusiveStartKey');
  });

  test('asks the index when a status is wanted.', async () => {
    store.on(QueryCommand).resolves({ Items: [] });
    await listJobs(acme, { limit: 50, status: 'QUEUED' });
    expect(onlyCommand()).toMatchObject({ IndexName: 'by-status' });
    expect(onlyCommand()).not.toHaveProperty('ConsistentRead');
    expect(values()).toEqual({ ':key': `${acme}#QUEUED` });
  });

  test.each([
    [undefined, {}],
    ['QUEUED', { organisationStatus: `${acme}#QUEUED` }],
  ] as const)('goes on where the page before ended (status %s).', async (status, indexKey) => {
    const key = { organisation: acme, jobId: id('job'), ...indexKey };
    store.on(QueryCommand).resolves({ Items: [summary], LastEvaluatedKey: key });
    const { nextToken } = await listJobs(acme, { limit: 1, status });
    store.resetHistory();
    await listJobs(acme, { limit: 1, status, nextToken });
    expect(onlyCommand()['ExclusiveStartKey']).toEqual(key);
  });

  test('gives no token when the last page is just full, and one when there is a job behind it.', async () => {
    const older = { ...summary, jobId: id('job', acme, '01jc0000000000000000000000') };
    store
      .on(QueryCommand)
      .resolvesOnce({ Items: [summary] })
      .resolvesOnce({ Items: [summary, older] });
    await expect(listJobs(acme, { limit: 1 })).resolves.toEqual({ jobs: [summary], nextToken: undefined });
    await expect(listJobs(acme, { limit: 1 })).resolves.toEqual({
      jobs: [summary],
      nextToken: pageToken(`jobs ${acme} `, summary.jobId),
    });
  });

  test('gives a token even with an empty page when the store stopped before its end.', async () => {
    store.on(QueryCommand).resolves({ LastEvaluatedKey: { organisation: acme, jobId: id('job') } });
    const page = await listJobs(acme, { limit: 1 });
    expect(page).toEqual({ jobs: [], nextToken: expect.any(String) as string });
  });

  test.each([
    ["another organisation's list", `jobs ${rival} `],
    ['another status', `jobs ${acme} FAILED`],
    ['the list of shares', `shares ${acme}`],
  ])('refuses the token of %s and asks the store nothing.', async (_, list) => {
    const page = { limit: 1, nextToken: pageToken(list, id('job')) };
    await expect(listJobs(acme, page)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test('leaves out what is no job: that keeps no other back.', async () => {
    jest.spyOn(console, 'error').mockReturnValue();
    store.on(QueryCommand).resolves({ Items: [{ ...summary, priority: 'high' }, summary] });
    await expect(listJobs(acme, { limit: 2 })).resolves.toMatchObject({ jobs: [summary] });
  });
});

describe('Deleting a job', () => {
  test('is one conditional write.', async () => {
    store.on(DeleteCommand).resolves({});
    await expect(deleteJob(acme, id('job'))).resolves.toBeUndefined();
    expect(onlyCommand()).toMatchObject({
      ConditionExpression: 'organisation = :caller',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    expect(values()).toEqual({ ':caller': acme });
  });

  test('finds none where none is.', async () => {
    store.on(DeleteCommand).rejects(conditionFailed());
    await expect(deleteJob(acme, id('job'))).rejects.toMatchObject({ code: 'job_not_found' });
  });

  test("refuses another organisation's.", async () => {
    store.on(DeleteCommand).rejects(conditionFailed(item(rival)));
    await expect(deleteJob(acme, id('job', rival))).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('is an error when the condition failed for no reason.', async () => {
    const fault = conditionFailed(item(acme));
    store.on(DeleteCommand).rejects(fault);
    await expect(deleteJob(acme, id('job'))).rejects.toBe(fault);
  });

  test('is done when the SDK repeats it because the answer was lost, and finds the job gone.', async () => {
    store.on(DeleteCommand).rejects(repeated());
    await expect(deleteJob(acme, id('job'))).resolves.toBeUndefined();
  });

  test("refuses another organisation's also when the SDK repeats it.", async () => {
    store.on(DeleteCommand).rejects(repeated(item(rival)));
    await expect(deleteJob(acme, id('job', rival))).rejects.toMatchObject({ code: 'forbidden' });
  });
});
