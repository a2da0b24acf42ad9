import { scopes, type Scope } from '../../contract/endpoint';
import { webSocketActions } from '../../contract/websocket-actions';

/** The telemetry endpoint needs at least one of these scopes. */
export const telemetryScopes: readonly Scope[] = scopes.filter((scope) =>
  Object.values(webSocketActions).some(({ needs }) => needs === scope),
);
