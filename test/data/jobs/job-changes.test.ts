import { GetCommand, UpdateCommand, type UpdateCommandInput } from '../../../data/store/document-client';
import { cancelJob, changeJob } from '../../../data/jobs/job-changes';
import { toItem } from '../../../data/jobs/job-item';
import type { Job } from '../../../domain/job';
import { jobStatuses, mayMove } from '../../../domain/job-lifecycle';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { now, options } from '../fixtures/operations';
import { conditionFailed, onlyCommand, store, values } from '../fixtures/store';

const stored = (change: Partial<Job> = {}, organisation = acme) => toItem(organisation, sampleJob(change));
const pairs = jobStatuses.flatMap((from) => jobStatuses.map((to) => [from, to] as const));
const changed = { ...stored({ status: 'CANCELLED', version: 4, cancelledAt: now }), changeId: options.changeId };

/** A store that holds one job and looks, of a write's condition, at the statuses that it may start from. */
function keep(item: Record<string, unknown>): void {
  store.on(GetCommand).resolves({ Item: item });
  store.on(UpdateCommand).callsFake((input: UpdateCommandInput) => {
    const given = Object.entries(input.ExpressionAttributeValues ?? {});
    const from = given.flatMap(([name, value]) => (name.startsWith(':from') ? [value as unknown] : []));
    if (from.length > 0 && !from.includes(item['status'])) throw conditionFailed(item);
    const status = (input.ExpressionAttributeValues?.[':status'] as unknown) ?? item['status'];
    return { Attributes: { ...item, status, version: Number(item['version']) + 1 } };
  });
}

describe.each(pairs)('From %s, a change to %s', (from, to) => {
  const outcome = (change: Parameters<typeof changeJob>[2]) =>
    changeJob(acme, id('job'), change, options).catch((error: unknown) => error);

  test('is made when the lifecycle has it, is none when it is the same, and is refused otherwise.', async () => {
    keep(stored({ status: from }));
    const refused = { code: 'invalid_request', details: [{ path: 'status' }] };
    const unchanged = from === to ? { status: to, version: 3 } : refused;
    const expected = mayMove(from, to) ? { status: to, version: 4 } : unchanged;
    expect(await outcome({ status: to })).toMatchObject(expected);
    expect(store.calls()).toHaveLength(1);
  });

  test('goes with other changes unless the lifecycle forbids it.', async () => {
    keep(stored({ status: from }));
    const expected = mayMove(from, to) || from === to ? { status: to } : { code: 'invalid_request' };
    expect(await outcome({ status: to, name: 'Other' })).toMatchObject(expected);
    expect(onlyCommand()).toHaveProperty('UpdateExpression');
  });
});

test.each(jobStatuses)('Cancelling a job that is %s works if it is PENDING or QUEUED.', async (from) => {
  keep(stored({ status: from }));
  const outcome = await cancelJob(acme, id('job'), options).catch((error: unknown) => error);
  const open = from === 'PENDING' || from === 'QUEUED';
  expect(outcome).toMatchObject(open ? { status: 'CANCELLED' } : { code: 'cannot_cancel' });
  expect(store.calls()).toHaveLength(1);
});

describe('A change', () => {
  test('is one write that names its owner, itself and the version that it makes.', async () => {
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

  test('of the status moves the job in the index too.', async () => {
    keep(stored());
    await changeJob(acme, id('job'), { status: 'QUEUED' }, options);
    expect(values()).toMatchObject({ ':status': 'QUEUED', ':organisationStatus': `${acme}#QUEUED` });
  });

  test.each([
    [{ status: 'CANCELLED' }, true],
    [{ status: 'FAILED' }, false],
    [{ name: 'Other' }, false],
  ] as const)('by %j says when the job was cancelled: %s.', async (change, says) => {
    keep(stored());
    await changeJob(acme, id('job'), change, options);
    expect(String(onlyCommand()['UpdateExpression']).includes('cancelledAt')).toBe(says);
  });

  test('of nothing is one read, and nothing is written.', async () => {
    keep(stored());
    await expect(changeJob(acme, id('job'), {}, options)).resolves.toEqual(sampleJob());
    expect(store).toHaveReceivedCommandTimes(GetCommand, 1);
    expect(store.calls()).toHaveLength(1);
  });

  test('of nothing still minds the version and whose job it is.', async () => {
    keep(stored({ version: 3 }));
    const unread = changeJob(acme, id('job'), {}, { ...options, ifVersion: 2 });
    await expect(unread).rejects.toMatchObject({ code: 'stale_version' });
    await expect(changeJob(rival, id('job'), {}, options)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('carries the version that was seen in its condition.', async () => {
    store.on(UpdateCommand).resolves({ Attributes: stored() });
    await changeJob(acme, id('job'), { name: 'Other' }, { ...options, ifVersion: 3 });
    expect(onlyCommand()['ConditionExpression']).toContain('version = :ifVersion');
    expect(values()[':ifVersion']).toBe(3);
  });

  test('asks the store nothing for what is no identifier of a job.', async () => {
    const odd = changeJob(acme, 'job-1', { name: 'Other' }, options);
    await expect(odd).rejects.toMatchObject({ code: 'job_not_found' });
    expect(store).not.toHaveReceivedAnyCommand();
  });
});

const ways = [
  ['changing', () => changeJob(acme, id('job'), { status: 'CANCELLED' }, { ...options, ifVersion: 3 })],
  ['cancelling', () => cancelJob(acme, id('job'), options)],
] as const;

describe.each(ways)('When the condition of %s it fails', (_, run) => {
  test('because none is there, the job was not found.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(run()).rejects.toMatchObject({ code: 'job_not_found' });
  });

  test("because it is another organisation's, it is forbidden.", async () => {
    store.on(UpdateCommand).rejects(conditionFailed(stored({}, rival)));
    await expect(run()).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('because the SDK repeated a write whose answer got lost, the job is as the first one left it.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed(changed));
    await expect(run()).resolves.toMatchObject({ status: 'CANCELLED', version: 4, cancelledAt: now });
  });

  test('because of an item that is no job, it is an error.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed({ organisation: acme }));
    await expect(run()).rejects.toMatchObject({ name: '$ZodError' });
  });

  test('the reason is told without another call.', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await run().catch(() => undefined);
    expect(store.calls()).toHaveLength(1);
  });
});

test('A change of a version that is not the latest is stale, even when the lifecycle forbids it too.', async () => {
  store.on(UpdateCommand).rejects(conditionFailed(stored({ status: 'COMPLETED', version: 9 })));
  const late = changeJob(acme, id('job'), { status: 'QUEUED' }, { ...options, ifVersion: 3 });
  await expect(late).rejects.toMatchObject({ code: 'stale_version' });
});

test.each(ways)('A repeat of %s by the SDK must not count as a second change.', async (_, run) => {
  store.on(UpdateCommand).resolves({ Attributes: changed });
  await run();
  expect(onlyCommand()['ConditionExpression']).toContain('(attribute_not_exists(changeId) OR changeId <> :changeId)');
});

test('Cancelling again is refused, for the first one had another id.', async () => {
  store.on(UpdateCommand).rejects(conditionFailed({ ...changed, changeId: 'request-0' }));
  await expect(cancelJob(acme, id('job'), options)).rejects.toMatchObject({ code: 'cannot_cancel' });
});

test('A write that brings no job back is an error.', async () => {
  store.on(UpdateCommand).resolves({});
  await expect(cancelJob(acme, id('job'), options)).rejects.toThrow('returned no job');
});
