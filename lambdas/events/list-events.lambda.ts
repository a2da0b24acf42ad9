import * as endpoints from '../../contract/events/events.endpoints';
import { formatCursor } from '../../domain/events/cursor';
import { feedBeginning, waitForEvents } from './read-feed';
import { serve } from '../serve/serve';

export const handler = serve('GET /v3/events', endpoints.listEvents, async ({ caller, query, ...request }) => {
  const { organisation } = caller;
  const now = new Date(request.now);
  const after = await feedBeginning(organisation, query.after, now);
  const page = await waitForEvents({ ...caller, ...query }, after, now);
  const events = page.events.map(({ number, message }) => ({ ...message, cursor: formatCursor(organisation, number) }));
  return { success: true, events, count: events.length, cursor: formatCursor(organisation, page.last) };
});
