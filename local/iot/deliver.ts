import type { Client } from 'aedes';
import type { RetainedMessage } from './retained';

/** A part of aedes' client that its types leave out; `publish` would number the message, and drop older ones behind it. */
interface Deliverer {
  deliverQoS(packet: object, done: () => void): void;
}

/** Sends a retained message to a client before what aedes has yet to send, in the form in which aedes does it itself. */
export function deliver(client: Client, { topic, payload, qos }: RetainedMessage): void {
  const packet = { cmd: 'publish', topic, payload, qos, retain: true, dup: false, brokerId: null };
  (client as unknown as Deliverer).deliverQoS(packet, () => undefined);
}
