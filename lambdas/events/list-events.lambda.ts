import * as endpoints from '../../contract/events/events.endpoints';
import { cursorOf } from '../../domain/events/cursor';
import { beginningOf } from './read-feed';
import { waitForEvents } from './wait-for-events';
import { serve } from '../serve/serve';

export const handler = serve('GET /v3/events', endpoints.listEvents, async ({ caller, query, ...request }) => {
  const { organisation } = caller;
  const now = new Date(request.now);
  const after = await beginningOf(organisation, query.after, now);
  const page = await waitForEvents({ ...caller, ...query }, after, now);
  const events = page.events.map(({ number, message }) => ({ ...message, cursor: cursorOf(organisation, number) }));
  return { success: true, events, count: events.length, cursor: cursorOf(organisation, page.last) };
});
