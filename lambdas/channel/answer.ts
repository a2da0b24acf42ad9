import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import { messageId } from '../../contract/message-id';
import { resourceRefusal } from '../../contract/refusals';
import { telemetryActions, type TelemetryAction } from '../../contract/telemetry';
import type { PartnerSession, Session, ViewerSession } from '../../data/connections/sessions';
import { Refusal, invalid } from '../../domain/refusal';
import { toDetails } from '../serve/details';
import { logger } from '../logger';
import { sessionOf } from './session-of';

type Actions = typeof telemetryActions;
type SessionFor<Action extends TelemetryAction> = Actions[Action]['needs'] extends 'viewer'
  ? ViewerSession
  : PartnerSession;

/** What an action is done with. */
export interface ActionRequest<Action extends TelemetryAction> {
  readonly session: SessionFor<Action>;
  readonly message: z.output<Actions[Action]['message']>;
  readonly now: Date;
}

const reply = (body: object, id: unknown): APIGatewayProxyStructuredResultV2 => ({
  statusCode: 200,
  body: JSON.stringify(id === undefined ? body : { ...body, id }),
});

/** A frame as JSON. @throws Refusal `invalid_request` */
function read(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw invalid('', 'a message must be a JSON object with an action');
}

function isAllowed(session: Session, needs: Actions[TelemetryAction]['needs']): boolean {
  return session.kind === 'viewer' ? needs === 'viewer' : session.scopes.includes(needs);
}

/**
 * Makes the function of a telemetry action: who, may they, is it well formed, do it, answer. What can't be
 * done is answered with an error, and the socket stays open.
 */
export const answer =
  <Action extends TelemetryAction>(action: Action, run: (request: ActionRequest<Action>) => Promise<object>) =>
  async ({ body, requestContext }: APIGatewayProxyWebsocketEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    let id: unknown;
    try {
      const text = read(body);
      // What can't be an id is not sent back; the schema of the action names it.
      id = messageId.safeParse(text['id']).data;
      const { needs, message: schema } = telemetryActions[action];
      const session = await sessionOf(requestContext.connectionId);
      // On a status channel there are no actions but ping.
      if (!session) throw new Refusal('unknown_action');
      if (!isAllowed(session, needs)) throw new Refusal('forbidden');
      const parsed = schema.safeParse(text);
      if (!parsed.success) throw new Refusal('invalid_request', toDetails(parsed.error));
      const request = { session, message: parsed.data, now: new Date() };
      // The two checks above make the session and the message those of the action.
      return reply(await run(request as unknown as ActionRequest<Action>), id);
    } catch (error) {
      if (error instanceof Refusal) return reply({ type: 'error', ...resourceRefusal(error).body }, id);
      logger.error('an action failed', { action, requestId: requestContext.requestId, error });
      return reply({ type: 'error', error: 'Internal server error', requestId: requestContext.requestId }, id);
    }
  };
