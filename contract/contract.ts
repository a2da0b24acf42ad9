import { channels, type StatusChannel } from './channels/status-channels';
import type { Endpoint } from './terms/endpoint';
import { endpoints } from './endpoints';
import { actionTexts, channelTexts, type MessagingTexts } from './messaging-texts';
import type { WebSocketAction } from './terms/websocket-action';
import { webSocketActions } from './websocket-actions';

/** The public interface of the service, as tables that the stack is generated from. */
export interface Contract {
  /** By method and path, such as `PATCH /v3/jobs/{jobId}`. */
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** By kind of resource. */
  readonly channels: Readonly<Record<string, StatusChannel & MessagingTexts>>;
  /** By the `action` of the message. */
  readonly actions: Readonly<Record<string, WebSocketAction & MessagingTexts>>;
}

/** The rows of a table with their texts. */
type Described<Rows> = { readonly [Name in keyof Rows]: Rows[Name] & MessagingTexts };

const described = <Rows extends Readonly<Record<string, object>>>(
  rows: Rows,
  texts: Readonly<Record<keyof Rows, MessagingTexts>>,
) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { ...row, ...texts[name] }])) as Described<Rows>;

export const contract = {
  endpoints,
  channels: described(channels, channelTexts),
  actions: described(webSocketActions, actionTexts),
} as const satisfies Contract;
