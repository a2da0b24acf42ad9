import { scopeDescriptions, type Scope } from '../../terms/scopes';

const tokenUrl = 'https://api.drone-missions.example/v3/auth/token';

/** Key of the security scheme of a scope: `scope-command-read`. */
const schemeOfScope = (scope: Scope) => `scope-${scope.replace(':', '-')}`;

const oauth2 = (scope: Scope) => ({
  type: 'oauth2',
  description: `The token needs the scope \`${scope}\`: ${scopeDescriptions[scope]}.`,
  flows: { clientCredentials: { tokenUrl, availableScopes: { [scope]: scopeDescriptions[scope] } } },
  scopes: [scope],
});

/** How clients authenticate; `components.securitySchemes` with one scheme for each of these scopes. */
export const asyncApiSecuritySchemes = (scopes: readonly Scope[]) => ({
  mqttToken: {
    type: 'userPassword',
    description:
      'User name: the `client_id` of your OAuth client. Password: an access token from `POST /v3/auth/token` with at least five minutes left. The MQTT client id is the `client_id` with an optional suffix.',
  },
  bearerToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An access token from `POST /v3/auth/token` in the header of the handshake: `Authorization: Bearer …`.',
  },
  queryToken: {
    type: 'httpApiKey',
    in: 'query',
    name: 'token',
    description:
      'The same token as query parameter of the handshake, for clients that can’t set headers, such as browsers. The header takes precedence.',
  },
  shareCode: {
    type: 'httpApiKey',
    in: 'query',
    name: 'shareCode',
    description: 'The code of a share from `POST /v3/streams/share`, for viewers, who have no token.',
  },
  ...Object.fromEntries(scopes.map((scope) => [schemeOfScope(scope), oauth2(scope)])),
});

const security = (...names: string[]) => names.map((name) => ({ $ref: `#/components/securitySchemes/${name}` }));

/** Security of an operation: the token has this scope. */
export const needsScope = (scope: Scope) => security(schemeOfScope(scope));
/** Security of an operation of viewers. */
export const needsShareCode = security('shareCode');

const mqtt = {
  protocolVersion: '3.1.1',
  security: security('mqttToken'),
  bindings: { mqtt: { cleanSession: true, bindingVersion: '0.2.0' } },
};
const webSocket = {
  protocolVersion: '13',
  security: security('bearerToken', 'queryToken', 'shareCode'),
};
const yours = 'Your onboarding names it.';

export const asyncApiServers = {
  mqtt: {
    host: '{address}:8883',
    protocol: 'secure-mqtt',
    description:
      'MQTT over TLS 1.2 or 1.3. Where a firewall lets only port 443 through, use it with the ALPN protocol `mqtt` and the same credentials.',
    variables: { address: { default: 'mqtt.drone-missions.example', description: yours } },
    ...mqtt,
  },
  webSocket: {
    host: '{address}',
    protocol: 'wss',
    description: 'WebSockets over TLS, port 443.',
    variables: { address: { default: 'ws.drone-missions.example', description: yours } },
    ...webSocket,
  },
  localMqtt: {
    host: '127.0.0.1:{port}',
    protocol: 'secure-mqtt',
    description:
      'MQTT on this machine, started by `npm start`. Its certificate is signed by the authority in `.local/ca.pem`. No MQTT 5.',
    variables: { port: { default: '8883', description: 'As `MQTT_PORT`.' } },
    ...mqtt,
  },
  localWebSocket: {
    host: '127.0.0.1:{port}',
    protocol: 'ws',
    description: 'WebSockets on this machine, started by `npm start`, without TLS.',
    variables: { port: { default: '3001', description: 'As `WS_PORT`.' } },
    ...webSocket,
  },
};

const refer = (...names: (keyof typeof asyncApiServers)[]) => names.map((name) => ({ $ref: `#/servers/${name}` }));
export const mqttServers = refer('mqtt', 'localMqtt');
export const webSocketServers = refer('webSocket', 'localWebSocket');
