import { channels, type StatusChannel } from './status-channels';
import type { Endpoint } from './endpoint';
import { endpoints } from './endpoints';
import { actionTexts, type ActionTexts } from './action-texts';
import type { WebSocketAction } from './websocket-action';
import { webSocketActions, type WebSocketActionName } from './websocket-actions';

/** The public interface of the service, as tables that the stack is generated from. */
export interface Contract {
  /** By method and path, such as `PATCH /v3/jobs/{jobId}`. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** By kind of resource. */
  readonly channels: Readonly<Record<string, StatusChannel>>;
  /** By the `action` of the message. */
  readonly actions: Readonly<Record<string, WebSocketAction & ActionTexts>>;
}

type DescribedActions = { readonly [Name in WebSocketActionName]: (typeof webSocketActions)[Name] & ActionTexts };

const describedActions = Object.fromEntries(
  Object.entries(webSocketActions).map(([name, row]) => [
    name,
    { ...row, ...actionTexts[name as WebSocketActionName] },
  ]),
) as DescribedActions;

export const contract = { endpoints, channels, actions: describedActions } as const satisfies Contract;
