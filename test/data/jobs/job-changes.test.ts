import { GetCommand, UpdateCommand } from '../../../data/store/document-client';
import { cancelJob, changeJob } from '../../../data/jobs/job-changes';
import { toItem } from '../../../data/jobs/job-item';
import type { Job } from '../../../domain/job';
import { jobStatuses, mayMove, type JobStatus } from '../../../domain/job-lifecycle';
import { PLATFORM } from '../../../domain/service';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { now, options } from '../fixtures/operations';
import { conditionFailed, onlyCommand, store, values } from '../fixtures/store';

const stored = (change: Partial<Job> = {}, organisation = acme) => toItem(organisation, sampleJob(change));
const cancelled = { ...stored({ status: 'CANCELLED', version: 4, cancelledAt: now }), changeId: options.changeId };

const settable = jobStatuses.filter((status) => status !== 'PENDING');
const allowedBefore = (to: JobStatus) => jobStatuses.filter((from) => mayMove(from, to));
const notAllowed = jobStatuses.flatMap((from) =>
  settable.filter((to) => from !== to && !mayMove(from, to)).map((to) => [from, to] as const),
);

/** Asserts that the condition of the one write requires one of these statuses. DynamoDB evaluates it in `test/api/jobs`. */
function expectRequired(statuses: readonly JobStatus[]): void {
  const names = statuses.map((_, index) => `:from${index}`);
  expect(onlyCommand()['ConditionExpression']).toContain(`#status IN (${names.join(', ')})`);
  expect(onlyCommand()['ExpressionAttributeNames']).toMatchObject({ '#status': 'status' });
  expect(values()).toMatchObject(Object.fromEntries(names.map((name, index) => [name, statuses[index]])));
}

describe.each(settable)('changeJob to the status %s', (to) => {
  beforeEach(() => {
    store.on(UpdateCommand).resolves({ Attributes: stored({ status: to, version: 4 }) });
  });

  test('requires one of the statuses before it in the lifecycle', async () => {
    await expect(changeJob(acme, id('job'), { status: to }, options)).resolves.toMatchObject({
      status: to,
      version: 4,
    });
    expectRequired(allowedBefore(to));
  });

  test('allows the same status too when another field changes', async () => {
    await changeJob(acme, id('job'), { status: to, name: 'Other' }, options);
    expectRequired([...allowedBefore(to), to]);
  });

  test('returns the job unchanged when it has that status', async () => {
    store.on(UpdateCommand).rejects(conditionFailed(stored({ status: to })));
    const unchanged = sampleJob({ status: to });
    await expect(changeJob(acme, id('job'), { status: to }, options)).resolves.toEqual(unchanged);
    expect(store.calls()).toHaveLength(1);
  });
});

describe('changeJob to the status PENDING', () => {
  test.each(settable)('refuses a job that is %s after one read, since no status precedes it', async (from) => {
    store.on(GetCommand).resolves({ Item: stored({ status: from }) });
    const refused = { code: 'invalid_request', details: [{ path: 'status' }] };
    await expect(changeJob(acme, id('job'), { status: 'PENDING' }, options)).rejects.toMatchObject(refused);
    expect(store.calls()).toHaveLength(1);
  });

  test('returns a job that is PENDING after one read', async () => {
    store.on(GetCommand).resolves({ Item: stored() });
    await expect(changeJob(acme, id('job'), { status: 'PENDING' }, options)).resolves.toEqual(sampleJob());
    expect(store.calls()).toHaveLength(1);
  });

  test('allows only the same status when another field changes', async () => {
    store.on(UpdateCommand).resolves({ Attributes: stored() });
    await changeJob(acme, id('job'), { status: 'PENDING', name: 'Other' }, options);
    expectRequired(['PENDING']);
  });
});

describe('changeJob whose condition fails', () => {
  test.each(notAllowed)('refuses the transition from %s to %s by name', async (from, to) => {
    store.on(UpdateCommand).rejects(conditionFailed(stored({ status: from })));
    const details = [{ path: 'status', message: `can't move from ${from} to ${to}` }];
    for (const change of [{ status: to }, { status: to, name: 'Other' }])
      await expect(changeJob(acme, id('job'), change, options)).rejects.toMatchObject({
        code: 'invalid_request',
        details,
      });
    expect(store.calls()).toHaveLength(2);
  });

  test('reports a stale version before a transition that is not allowed', async () => {
    store.on(UpdateCommand).rejects(conditionFailed(stored({ status: 'COMPLETED', version: 9 })));
    const stale = changeJob(acme, id('job'), { status: 'QUEUED' }, { ...options, ifVersion: 3 });
    await expect(stale).rejects.toMatchObject({ code: 'stale_version' });
  });
});

describe('cancelJob', () => {
  test('requires PENDING or QUEUED', async () => {
    store.on(UpdateCommand).resolves({ Attributes: cancelled });
    await expect(cancelJob(acme, id('job'), options)).resolves.toMatchObject({ status: 'CANCELLED' });
    expectRequired(['PENDING', 'QUEUED']);
  });

  test.each(['IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED'] as const)('refuses a job that is %s', async (from) => {
    store.on(UpdateCommand).rejects(conditionFailed(stored({ status: from })));
    await expect(cancelJob(acme, id('job'), options)).rejects.toMatchObject({ code: 'cannot_cancel' });
    expect(store.calls()).toHaveLength(1);
  });

  test('refuses a job that an earlier request cancelled', async () => {
    store.on(UpdateCommand).rejects(conditionFailed({ ...cancelled, changeId: 'request-0' }));
    await expect(cancelJob(acme, id('job'), options)).rejects.toMatchObject({ code: 'cannot_cancel' });
  });

  test('fails when the write returns no job', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(cancelJob(acme, id('job'), options)).rejects.toThrow('returned no job');
  });
});

describe('changeJob', () => {
  test('is one conditional write with organisation, change id and new version', async () => {
    store.on(UpdateCommand).resolves({ Attributes: stored() });
    await changeJob(acme, id('job'), { name: 'Other', metadata: { a: 1 } }, options);
    expect(onlyCommand()).toMatchObject({
      TableName: 'jobs',
      Key: { organisation: acme, jobId: id('job') },
      UpdateExpression: expect.stringMatching(/^SET .+ ADD version :one$/) as string,
      ConditionExpression: expect.stringMatching(/^organisation = :caller AND /) as string,
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    expect(values()).toEqual({
      ':caller': acme,
      ':one': 1,
      ':name': 'Other',
      ':metadata': '{"a":1}',
      ':updatedAt': now,
      ':changeId': 'request-1',
    });
  });

  test.each<[string, typeof PLATFORM | undefined, RegExp]>([
    ['by the platform marks the job', PLATFORM, /^SET .+#changedBy = :changedBy ADD /],
    ['by a partner removes the mark', undefined, /^SET .+ REMOVE changedBy ADD /],
  ])('%s', async (_, changedBy, expression) => {
    store.on(UpdateCommand).resolves({ Attributes: { ...stored({ status: 'QUEUED' }), changedBy } });
    const changed = await changeJob(acme, id('job'), { status: 'QUEUED' }, { ...options, changedBy });
    expect(onlyCommand()['UpdateExpression']).toMatch(expression);
    expect(values()[':changedBy']).toBe(changedBy);
    expect(changed).not.toHaveProperty('changedBy');
  });

  test('updates the key of the status index with the status', async () => {
    store.on(UpdateCommand).resolves({ Attributes: stored({ status: 'QUEUED' }) });
    await changeJob(acme, id('job'), { status: 'QUEUED' }, options);
    expect(values()).toMatchObject({ ':status': 'QUEUED', ':organisationStatus': `${acme}#QUEUED` });
  });

  test.each([
    [{ status: 'CANCELLED' }, true],
    [{ status: 'FAILED' }, false],
    [{ name: 'Other' }, false],
  ] as const)('sets cancelledAt for %j: %s', async (change, isSet) => {
    store.on(UpdateCommand).resolves({ Attributes: stored() });
    await changeJob(acme, id('job'), change, options);
    expect(String(onlyCommand()['UpdateExpression']).includes('cancelledAt')).toBe(isSet);
  });

  test('reads the job and writes nothing for an empty change', async () => {
    store.on(GetCommand).resolves({ Item: stored() });
    await expect(changeJob(acme, id('job'), {}, options)).resolves.toEqual(sampleJob());
    expect(store).toHaveReceivedCommandTimes(GetCommand, 1);
    expect(store.calls()).toHaveLength(1);
  });

  test('checks version and organisation for an empty change', async () => {
    store.on(GetCommand).resolves({ Item: stored({ version: 3 }) });
    const stale = changeJob(acme, id('job'), {}, { ...options, ifVersion: 2 });
    await expect(stale).rejects.toMatchObject({ code: 'stale_version' });
    await expect(changeJob(rival, id('job'), {}, options)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('requires the version of If-Match in its condition', async () => {
    store.on(UpdateCommand).resolves({ Attributes: stored() });
    await changeJob(acme, id('job'), { name: 'Other' }, { ...options, ifVersion: 3 });
    expect(onlyCommand()['ConditionExpression']).toContain('version = :ifVersion');
    expect(values()[':ifVersion']).toBe(3);
  });

  test('sends no command for an id that is not a job id', async () => {
    const invalidId = changeJob(acme, 'job-1', { name: 'Other' }, options);
    await expect(invalidId).rejects.toMatchObject({ code: 'job_not_found' });
    expect(store).not.toHaveReceivedAnyCommand();
  });
});

const writes = [
  ['changeJob', () => changeJob(acme, id('job'), { status: 'CANCELLED' }, { ...options, ifVersion: 3 })],
  ['cancelJob', () => cancelJob(acme, id('job'), options)],
] as const;

describe.each(writes)('The condition of %s', (_, run) => {
  test('fails with job_not_found when the job does not exist', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(run()).rejects.toMatchObject({ code: 'job_not_found' });
  });

  test('fails with forbidden for a job of another organisation', async () => {
    store.on(UpdateCommand).rejects(conditionFailed(stored({}, rival)));
    await expect(run()).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('fails without an error when the SDK retried a write whose response was lost', async () => {
    store.on(UpdateCommand).rejects(conditionFailed(cancelled));
    await expect(run()).resolves.toMatchObject({ status: 'CANCELLED', version: 4, cancelledAt: now });
  });

  test('fails with an error for an item that is not a job', async () => {
    store.on(UpdateCommand).rejects(conditionFailed({ organisation: acme }));
    await expect(run()).rejects.toMatchObject({ name: '$ZodError' });
  });

  test('fails without a second command', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await run().catch(() => undefined);
    expect(store.calls()).toHaveLength(1);
  });
});

test.each(writes)('%s does not apply a retry by the SDK as a second change', async (_, run) => {
  store.on(UpdateCommand).resolves({ Attributes: cancelled });
  await run();
  expect(onlyCommand()['ConditionExpression']).toContain('(attribute_not_exists(changeId) OR changeId <> :changeId)');
});
