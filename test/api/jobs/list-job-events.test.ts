import { clients } from '../client';
import { foreignAt, givenJob, givenJobThatIs, nobodys } from '../given';
import { until } from '../../channels/until';

const [partner] = clients('list-job-events');
const [stranger] = clients('stranger');
const eventsOf = (jobId: string) => partner.call('GET /v3/jobs/{jobId}/events', { path: { jobId } });

describe('GET /v3/jobs/{jobId}/events', () => {
  test('lists the changes of the job from its creation to its end, and of no other', async () => {
    const [jobId] = await Promise.all([givenJobThatIs('COMPLETED', partner), givenJobThatIs('FAILED', partner)]);
    const complete = async () => ((await eventsOf(jobId)).body.count === 4 ? true : undefined);
    await until('the whole timeline', complete);
    const { status, body } = await eventsOf(jobId);
    expect([status, body.success]).toEqual([200, true]);
    expect(body.events.map(({ jobState, previousState, sequence }) => [sequence, previousState, jobState])).toEqual([
      [1, undefined, 'PENDING'],
      [2, 'PENDING', 'QUEUED'],
      [3, 'QUEUED', 'IN_PROGRESS'],
      [4, 'IN_PROGRESS', 'COMPLETED'],
    ]);
    const cursors = body.events.map(({ cursor }) => cursor);
    expect(cursors).toEqual(cursors.toSorted());
  });

  test('answers 404 for an unknown job, and 403 for that of another organisation', async () => {
    const { jobId } = await givenJob(partner);
    const unknown = await eventsOf(nobodys(jobId));
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'Job not found' }]);
    const foreign = await eventsOf((await givenJob(stranger)).jobId);
    expect([foreign.status, foreign.body]).toEqual([403, foreignAt('jobId')]);
  });
});
