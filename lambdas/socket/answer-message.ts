import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { messageId } from '../../contract/message-id';
import { resourceRefusal } from '../../contract/refusals';
import { Refusal } from '../../domain/refusal';
import { toDetails } from '../serve/details';

const message = z.object({ action: z.string(), id: z.optional(z.unknown()) });
const withId = z.object({ id: messageId });

const reply = (body: unknown): APIGatewayProxyStructuredResultV2 => ({ statusCode: 200, body: JSON.stringify(body) });

/** A frame as JSON; undefined for what is none. */
function read(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/**
 * Route `$default` of the status channels, which have one action: `ping`. The answer goes back as the
 * route's response; an `id` that the client put on its message comes back on it.
 */
export function handler({ body }: APIGatewayProxyWebsocketEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const parsed = message.safeParse(read(body));
  if (!parsed.success) return Promise.resolve(reply({ type: 'error', error: 'not a JSON object with an action' }));
  const { action } = parsed.data;
  const named = withId.safeParse(parsed.data);
  if (!named.success) {
    const { body: refused } = resourceRefusal(new Refusal('invalid_request', toDetails(named.error)));
    return Promise.resolve(reply({ type: 'error', ...refused }));
  }
  const { id } = named.data;
  const echo = id === undefined ? {} : { id };
  if (action === 'ping') return Promise.resolve(reply({ type: 'pong', ...echo }));
  return Promise.resolve(reply({ type: 'error', error: `unknown action: ${action.slice(0, 64)}`, ...echo }));
}
