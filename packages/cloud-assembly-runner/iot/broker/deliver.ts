import type { Client } from 'aedes';
import type { RetainedMessage } from './retained';

/** Not in aedes' types. `publish` would number the message, and aedes would then drop older ones that follow. */
interface Deliverer {
  deliverQoS(packet: object, done: () => void): void;
}

/** Sends a retained message to a client ahead of the messages that aedes has queued, in aedes' own form. */
export function deliver(client: Client, { topic, payload, qos }: RetainedMessage): void {
  const packet = { cmd: 'publish', topic, payload, qos, retain: true, dup: false, brokerId: null };
  (client as unknown as Deliverer).deliverQoS(packet, () => undefined);
}
