import { socketMessages } from '../../channels/socket-messages';
import { findField } from '../fields';
import { actionsWhere, exchanged, messageReferences, receive, request, resumableHandshake } from './channel-parts';
import { capitalised } from '../../../domain/values/text';
import { CLEARED, messageName, type Messaging } from './message-components';
import { mqttServers, needsScope, webSocketServers } from './servers';

const groupOverMqtt = `Every change of the state comes at once, with QoS 1, and is retained: a new subscriber first receives the latest one. Positions are not retained. An empty message clears the retained one.`;
const otherOverMqtt = `The first message is the current state: with \`"snapshot": true\` within a few seconds, or at once what is retained, if somebody has subscribed before. From then on every change comes at once, with QoS 1. The snapshot may come again. If none comes within some seconds, read the state by REST: either there is no such resource, or, in rare cases, it comes up to five minutes late. An empty message follows the final one and clears what is retained.`;
const overWebSocket = `The first message is the current state, with \`"snapshot": true\`; no change after it is missing, and nothing older follows. With \`after\` there is no snapshot: what was missed since that \`cursor\` comes first, in order and with \`"replayed": true\`, then \`resumed\`, then every change; or \`gap\` and the snapshot, when the log no longer has all of it. After the final message the service closes the socket with code 1000. The same payload comes over MQTT.`;

/** Messages that come without a request, beside those about the resource. */
const sentUnasked = Object.entries(socketMessages)
  .filter(([name, { to }]) => name !== 'error' && (to as readonly string[]).includes('status'))
  .map(([name]) => name);

/** The channels of one kind over MQTT and over WebSockets, with their operations. */
function channelsOfKind(kind: string, row: Messaging['channels'][string], messaging: Messaging) {
  const { summary, description, scope, topicSuffix, path, messageType, idField } = row;
  const statuses = [messageType, ...(row.alsoCarries ?? [])].map(messageName);
  const actions = actionsWhere(messaging, ({ needs }) => needs === 'anyone' || needs === 'partner');
  const { description: meaning, examples } = findField(idField) ?? {};
  const parameters = { [idField]: { description: meaning, examples } };
  const [topic, socket] = [`${kind}Topic`, `${kind}Socket`];
  const channels = {
    [topic]: {
      address: `{${idField}}/${topicSuffix}`,
      title: `${summary} over MQTT`,
      description: `${description}\n\n${kind === 'group' ? groupOverMqtt : otherOverMqtt}`,
      servers: mqttServers,
      parameters,
      messages: messageReferences([...statuses, CLEARED]),
    },
    [socket]: {
      address: path.replace('{id}', `{${idField}}`),
      title: `${summary} over a WebSocket`,
      description: `${description}\n\n${overWebSocket}`,
      servers: webSocketServers,
      parameters,
      messages: messageReferences([...statuses, ...exchanged(actions), ...sentUnasked, 'error']),
      bindings: resumableHandshake,
    },
  };
  const security = needsScope(scope);
  const operations = {
    [`follow${capitalised(topic)}`]: receive(topic, [...statuses, CLEARED], {
      summary: `${summary} over MQTT`,
      description: 'Subscribe to the topic with QoS 1. Wildcards are refused.',
      security,
      bindings: { mqtt: { qos: 1, bindingVersion: '0.2.0' } },
    }),
    [`follow${capitalised(socket)}`]: receive(socket, [...statuses, ...sentUnasked], {
      summary: `${summary} over a WebSocket`,
      description: 'Open the WebSocket. There is nothing to subscribe to: the path says what it shows.',
      security,
    }),
    ...Object.fromEntries(
      Object.entries(actions).map(([name, row]) => [
        `${name}${capitalised(socket)}`,
        request(socket, name, row, { security }),
      ]),
    ),
  };
  return { channels, operations };
}

/** Channels and operations of every kind of status channel. */
export function describeStatusChannels(messaging: Messaging) {
  const kinds = Object.entries(messaging.channels).map(([kind, row]) => channelsOfKind(kind, row, messaging));
  return {
    channels: Object.fromEntries(kinds.flatMap(({ channels }) => Object.entries(channels))),
    operations: Object.fromEntries(kinds.flatMap(({ operations }) => Object.entries(operations))),
  };
}
