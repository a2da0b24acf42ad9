import type { Client, SubscribePacket } from 'aedes';
import type { EventEmitter } from 'node:events';

/** Maximum filters in one SUBSCRIBE (AWS IoT Core quotas, "Subscriptions per subscribe request"). */
const MAX_FILTERS_PER_SUBSCRIBE = 8;

/**
 * Makes the broker discard a SUBSCRIBE as a whole, since its filters have one SUBACK together. There is no subscription
 * and no SUBACK.
 * - With QoS 2 the connection stays open: "the message broker doesn't send a PUBACK or SUBACK when QoS 2 is requested"
 *   (AWS IoT Core developer guide, "AWS IoT differences from MQTT specifications"). A PUBLISH is discarded when it is
 *   authorised.
 * - With more than eight filters the connection is closed.
 *
 * @param client to which aedes has passed no packet yet
 * @param close ends the connection of the client
 */
export function discardSubscribes(client: Client, log: (line: string) => void, close: () => void): void {
  // aedes asks about each filter by itself, and always sends a SUBACK; so the packet is changed before aedes gets it.
  const { _parser: parser } = client as Client & { readonly _parser: EventEmitter };
  parser.prependListener('packet', (packet: SubscribePacket | { readonly cmd: 'other' }) => {
    if (packet.cmd !== 'subscribe') return;
    const isTooMany = packet.subscriptions.length > MAX_FILTERS_PER_SUBSCRIBE;
    if (!isTooMany && packet.subscriptions.every(({ qos }) => qos < 2)) return;
    log(
      isTooMany
        ? `${client.id}: more than ${MAX_FILTERS_PER_SUBSCRIBE} filters in one SUBSCRIBE`
        : `${client.id}: SUBSCRIBE ignored, QoS 2 is not supported`,
    );
    // Without filters there is nothing to subscribe to; without an id aedes sends no SUBACK.
    Object.assign(packet, { subscriptions: [], messageId: undefined });
    if (isTooMany) close();
  });
}
