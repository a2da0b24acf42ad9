/**
 * QoS 2, which AWS IoT does not support: "the message broker doesn't send a PUBACK or SUBACK when QoS 2 is requested" (AWS IoT
 * Core developer guide, "AWS IoT differences from MQTT specifications").
 */
import type { Client, SubscribePacket } from 'aedes';
import type { EventEmitter } from 'node:events';

/**
 * Makes the broker ignore each SUBSCRIBE of a client that asks for QoS 2: no subscription, no SUBACK, and the connection stays
 * open. It is ignored as a whole, since its filters have one SUBACK together. (A PUBLISH is discarded when it is authorised.)
 * @param client to which aedes has passed no packet yet
 */
export function ignoreQos2Subscribes(client: Client, log: (line: string) => void): void {
  // aedes asks about each filter by itself, and always sends a SUBACK; so the packet is changed before aedes gets it.
  const { _parser: parser } = client as Client & { readonly _parser: EventEmitter };
  parser.prependListener('packet', (packet: SubscribePacket | { readonly cmd: 'other' }) => {
    if (packet.cmd !== 'subscribe' || packet.subscriptions.every(({ qos }) => qos < 2)) return;
    log(`${client.id}: SUBSCRIBE ignored, QoS 2 is not supported`);
    // Without filters there is nothing to subscribe to; without an id aedes sends no SUBACK.
    Object.assign(packet, { subscriptions: [], messageId: undefined });
  });
}
