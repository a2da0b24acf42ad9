import type { SQSEvent } from 'aws-lambda';
import fc from 'fast-check';
import { GetCommand, UpdateCommand, type UpdateCommandInput } from '../../../data/store/document-client';
import { toItem } from '../../../data/jobs/job-item';
import type { JobStatus } from '../../../domain/job-lifecycle';
import { handler } from '../../../lambdas/queue/consume-platform-events';
import { conditionFailed, store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import '../fixtures/log';

/** The job as the store has it, and the writes that were made of it. */
let item: Record<string, unknown> = {};
let writes = 0;

/** Does what the condition of a change means. */
function update(input: UpdateCommandInput) {
  const values = input.ExpressionAttributeValues ?? {};
  const from = Object.entries(values).flatMap(([name, value]) => (name.startsWith(':from') ? [value as unknown] : []));
  if (item['changeId'] === values[':changeId'] || !from.includes(item['status'])) throw conditionFailed(item);
  writes += 1;
  const [status, changeId] = [values[':status'] as unknown, values[':changeId'] as unknown];
  item = {
    ...item,
    status,
    changeId,
    updatedAt: values[':updatedAt'] as unknown,
    version: Number(item['version']) + 1,
  };
  return { Attributes: item };
}

const statuses = ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] satisfies JobStatus[];
const event = (status: JobStatus, eventId = `event-${status}`) => ({
  id: eventId,
  source: 'drone-platform',
  'detail-type': 'job.status.reported',
  time: '2026-11-20T10:30:00Z',
  detail: { jobId: id('job'), status, at: '2026-11-27T10:30:00.000Z' },
});
const hear = (events: readonly object[]) => {
  const Records = events.map((one, index) => ({ messageId: `m${index}`, body: JSON.stringify(one) }));
  return handler({ Records } as unknown as SQSEvent);
};

beforeEach(() => {
  item = toItem(acme, sampleJob({ version: 1, status: 'PENDING' }));
  writes = 0;
  store.on(GetCommand).callsFake(() => ({ Item: item }));
  store.on(UpdateCommand).callsFake(update);
});

test('What is replayed from the archive, in any order and any number of times, changes no job a second time', async () => {
  await hear(statuses.map((status) => event(status)));
  expect(item).toMatchObject({ status: 'COMPLETED', version: 4 });
  // The platform may also say the same in another event.
  const one = fc.tuple(fc.constantFrom(...statuses), fc.constantFrom(undefined, 'another'));
  const replay = fc.array(one, { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(replay, async (replayed) => {
      const again = replayed.map((said) => ({ ...event(...said), 'replay-name': 'again' }));
      expect(await hear(again)).toEqual({ batchItemFailures: [] });
      expect(item).toMatchObject({ status: 'COMPLETED', version: 4 });
      expect(writes).toBe(3);
    }),
    { numRuns: 30 },
  );
});

test('A replay that begins in the middle leaves a job where the last event took it', async () => {
  await hear([event('QUEUED'), event('QUEUED'), event('IN_PROGRESS')]);
  expect(await hear([event('QUEUED'), event('IN_PROGRESS'), event('IN_PROGRESS')])).toEqual({ batchItemFailures: [] });
  expect(item).toMatchObject({ status: 'IN_PROGRESS', version: 3 });
  expect(writes).toBe(2);
});
