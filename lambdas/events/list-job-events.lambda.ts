import * as endpoints from '../../contract/events/events.endpoints';
import { readChannelEvents } from '../../data/events/read-events';
import { findJob } from '../../data/jobs/jobs';
import { formatCursor } from '../../domain/events/cursor';
import { serve } from '../serve/serve';

export const handler = serve(
  'GET /v3/jobs/{jobId}/events',
  endpoints.listJobEvents,
  async ({ caller, path: { jobId }, now }) => {
    const [found] = await Promise.all([
      readChannelEvents(caller.organisation, { kind: 'job', id: jobId }, new Date(now)),
      // Refuses a job of another organisation.
      findJob(caller.organisation, jobId),
    ]);
    const events = found.flatMap(({ number, message }) =>
      message.type === 'job.status' ? [{ ...message, cursor: formatCursor(caller.organisation, number) }] : [],
    );
    return { success: true, events, count: events.length };
  },
);
