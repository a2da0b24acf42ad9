import type { TLSSocket } from 'node:tls';
import type { MqttClient } from 'mqtt';

/** Messages received by a client so far, as `topic payload`, retained ones with a leading `!`. */
export function inbox(client: MqttClient): string[] {
  const got: string[] = [];
  client.on('message', (topic, payload, { retain }) => got.push(`${retain ? '!' : ''}${topic} ${payload.toString()}`));
  return got;
}

/** Subscribes. @returns the return codes of SUBACK */
export const subscribe = (client: MqttClient, filters: string | string[], qos: 0 | 1 = 1) =>
  new Promise<readonly unknown[]>((resolve) => {
    client.subscribe(filters, { qos }, (_error, _granted, packet) => resolve(packet?.granted ?? []));
  });

/** Resolves when the connection is closed. */
export const closed = (client: MqttClient) =>
  new Promise<void>((resolve) => (client.connected ? client.once('close', () => resolve()) : resolve()));

/** Resolves when everything that was sent to the client before has arrived. */
export function settled(client: MqttClient): Promise<void> {
  return new Promise((resolve) => {
    client.once('packetreceive', function next(packet) {
      if (packet.cmd === 'pingresp') resolve();
      else client.once('packetreceive', next);
    });
    client.sendPing();
  });
}

/** Stops reading from a client's socket. */
export function stopReading(client: MqttClient): void {
  (client.stream as TLSSocket).pause();
}
