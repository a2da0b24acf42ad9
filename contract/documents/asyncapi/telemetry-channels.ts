import { scopes, type Scope } from '../../terms/scopes';
import { socketMessages } from '../../channels/socket-messages';
import { broadcastProtocol, shareProtocols } from '../../shares/viewer-protocol';
import { TELEMETRY_PATH } from '../../websocket-actions';
import { exampleIds } from '../examples/message-example';
import { actionsWhere, exchanged, messageReferences, partnerHandshake, receive, request } from './channel-parts';
import { capitalised } from '../../../domain/values/text';
import type { Messaging } from './message-components';
import { needsScope, needsShareCode, webSocketServers } from './servers';

const TELEMETRY = 'telemetry';
const VIEWER = 'viewer';

const isScope = (needs: string): needs is Scope => scopes.some((scope) => scope === needs);

/** Names of the messages that the service sends to partners or viewers on its own, and `error`. */
const unasked = (recipient: 'partner' | 'viewer') =>
  Object.entries(socketMessages)
    .filter(([, { to }]) => (to as readonly string[]).includes(recipient))
    .map(([name]) => name);

/** The operations that send the actions of a channel. */
const requests = (channel: string, actions: Messaging['actions'], securityOf: (needs: string) => object[]) =>
  Object.fromEntries(
    Object.entries(actions).map(([name, row]) => [
      // Those of several channels.
      ['anyone', 'partner'].includes(row.needs) ? `${name}${capitalised(channel)}` : name,
      request(channel, name, row, { security: securityOf(row.needs) }),
    ]),
  );

function partnerTelemetry(messaging: Messaging) {
  const actions = actionsWhere(messaging, ({ needs }) => needs !== 'viewer');
  const needed = [...new Set(Object.values(actions).map(({ needs }) => needs))].filter(isScope);
  return {
    channels: {
      [TELEMETRY]: {
        address: TELEMETRY_PATH,
        title: 'Live telemetry for partners',
        description:
          'One WebSocket for any number of subscriptions, and for publishing. The handshake needs one of the scopes ' +
          `${needed.map((scope) => `\`${scope}\``).join(' and ')}; each action needs its own.`,
        servers: webSocketServers,
        messages: messageReferences([...exchanged(actions), ...unasked('partner')]),
        bindings: partnerHandshake,
      },
    },
    operations: {
      ...requests(TELEMETRY, actions, (needs) => (isScope(needs) ? needsScope(needs) : needed.flatMap(needsScope))),
      receiveTelemetry: receive(
        TELEMETRY,
        ['deviceTelemetry', 'deviceTelemetryBatch', 'snapshotEnd', 'heartbeat', 'expiring'],
        {
          summary: 'Receive telemetry',
          description: 'After `subscribe`: the last known states, `snapshot.end`, then every sample of the devices.',
          security: needsScope('resources:read'),
        },
      ),
    },
  };
}

const viewerHandshake = {
  ws: {
    method: 'GET',
    query: {
      type: 'object',
      description: 'Query parameters of the handshake.',
      properties: { shareCode: { type: 'string', description: 'The share code.', examples: [exampleIds.shareCode] } },
      required: ['shareCode'],
    },
    headers: {
      type: 'object',
      description: 'Headers of the handshake.',
      properties: {
        'Sec-WebSocket-Protocol': {
          type: 'string',
          description: `Optional, for browsers, which can’t read the status of a refused handshake: offer \`${Object.values(shareProtocols).join(', ')}\`. The handshake then succeeds, and the selected subprotocol says whether the viewer may watch (\`${shareProtocols.watching}\`), the share does not exist, or it is full. Close the socket in the last two cases. A client that can take samples over MQTT offers \`${broadcastProtocol}\` in addition: see \`broadcast\` of the first message.`,
        },
      },
    },
    bindingVersion: '0.1.0',
  },
};

function sharedDevice(messaging: Messaging) {
  const actions = actionsWhere(messaging, ({ needs }) => needs === 'viewer' || needs === 'anyone');
  const received = unasked('viewer').filter((name) => name !== 'error');
  return {
    channels: {
      [VIEWER]: {
        address: TELEMETRY_PATH,
        title: 'A shared device, for viewers',
        description:
          'The same address with `?shareCode=`, without a token: shows the device of a share until the share ends. There is nothing to subscribe to. First come the share, the address of the video if its type is `STREAM`, and the last known state of the device if it ever reported. After the final status of the share the service closes the socket with code 1000. The page behind `shareUrl` uses it.',
        servers: webSocketServers,
        messages: messageReferences([...exchanged(actions), ...unasked('viewer')]),
        bindings: viewerHandshake,
      },
    },
    operations: {
      ...requests(VIEWER, actions, () => needsShareCode),
      watchShare: receive(VIEWER, [...received, 'sharePlayback'], {
        summary: 'Watch a share',
        description: 'Open the WebSocket with the share code.',
        security: needsShareCode,
      }),
    },
  };
}

/** Channels and operations of the telemetry endpoint, for partners and for viewers. */
export function telemetryChannels(messaging: Messaging) {
  const [partner, viewer] = [partnerTelemetry(messaging), sharedDevice(messaging)];
  return {
    channels: { ...partner.channels, ...viewer.channels },
    operations: { ...partner.operations, ...viewer.operations },
  };
}
