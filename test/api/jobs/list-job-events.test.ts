import { clients } from '../client';
import { givenJobThatIs } from '../given';
import { until } from '../../channels/until';

const [partner] = clients('list-job-events');
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
});
