import { PLATFORM } from '../../../contract/platform/platform';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { changeJob } from '../../../data/jobs/job-changes';
import { toItem } from '../../../data/jobs/job-item';
import type { JobStatus } from '../../../domain/jobs/job-lifecycle';
import { storeOnEngine } from '../../data/fixtures/engine';
import { store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import '../fixtures/log';
import { consume as consumeBodies } from '../fixtures/platform-events';
import { fc, propertyRuns } from '../../property-runs';

const engine = storeOnEngine('jobs');
const { organisation, jobId } = toItem(acme, sampleJob());
const stored = () => engine.get('jobs', { organisation, jobId });
let writes = 0;

const statuses = ['QUEUED', 'IN_PROGRESS', 'COMPLETED'] satisfies JobStatus[];
const event = (status: JobStatus, eventId = `event-${status}`) => ({
  id: eventId,
  source: PLATFORM,
  'detail-type': 'job.status.reported',
  time: '2026-11-20T10:30:00Z',
  detail: { jobId: id('job'), status, at: '2026-11-27T10:30:00.000Z' },
});
const consume = (events: readonly object[]) => consumeBodies(...events.map((one) => JSON.stringify(one)));

beforeEach(async () => {
  jest.useFakeTimers({
    now: new Date('2026-11-27T10:30:30.000Z'),
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout'],
  });
  await engine.put('jobs', toItem(acme, sampleJob({ version: 1, status: 'PENDING' })));
  writes = 0;
  store.on(UpdateCommand).callsFake(async (input: object) => {
    const updated = await engine.answers('UpdateCommand')(input);
    writes += 1;
    return updated;
  });
});

afterEach(() => {
  jest.useRealTimers();
});

test('events replayed from the archive, in any order and any number of times, change no job a second time', async () => {
  await consume(statuses.map((status) => event(status)));
  expect(await stored()).toMatchObject({ status: 'COMPLETED', version: 4, changedBy: PLATFORM });
  // The platform may also report the same status in another event.
  const one = fc.tuple(fc.constantFrom(...statuses), fc.constantFrom(undefined, 'another'));
  const replay = fc.array(one, { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(replay, async (replayed) => {
      const again = replayed.map((report) => ({ ...event(...report), 'replay-name': 'again' }));
      expect(await consume(again)).toEqual({ batchItemFailures: [] });
      expect(await stored()).toMatchObject({ status: 'COMPLETED', version: 4 });
      expect(writes).toBe(3);
    }),
    { numRuns: propertyRuns(30) },
  );
});

test('a change of a partner after a report is not taken for one of the platform', async () => {
  await consume([event('QUEUED')]);
  expect(await stored()).toMatchObject({ version: 2, changedBy: PLATFORM });
  const options = { changeId: 'request-1', now: '2026-11-27T10:31:00.000Z' };
  await changeJob(acme, jobId, { priority: 9 }, options);
  expect(await stored()).toMatchObject({ version: 3, priority: 9 });
  expect(await stored()).not.toHaveProperty('changedBy');
  await consume([event('IN_PROGRESS')]);
  expect(await stored()).toMatchObject({ version: 4, changedBy: PLATFORM });
});

test('a partial replay leaves a job in the status of the last event', async () => {
  await consume([event('QUEUED'), event('QUEUED'), event('IN_PROGRESS')]);
  expect(await consume([event('QUEUED'), event('IN_PROGRESS'), event('IN_PROGRESS')])).toEqual({
    batchItemFailures: [],
  });
  expect(await stored()).toMatchObject({ status: 'IN_PROGRESS', version: 3 });
  expect(writes).toBe(2);
});
