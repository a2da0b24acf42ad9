/** What messages are charged with: AWS IoT Core pricing, "Additional metering details". */
import { stepsOf, type Charges } from '../billing/meter';

const METERED_BYTES = 5 * 1024;

/** A packet without a payload: CONNECT without a will, or PUBACK of a client. */
export const ONE_MESSAGE: Charges = { 'iot:messages': 1 };

/** A message that a client publishes; a retained one counts twice. */
export function publishCharges(topic: string, payload: string | Buffer, retain: boolean): Charges {
  return { 'iot:messages': messagesOf(topic, payload) * (retain ? 2 : 1) };
}

/** A call of Publish: its body, and topic and payload once more when they are retained. */
export function apiPublishCharges(topic: string, payload: Buffer, retain: boolean): Charges {
  return { 'iot:messages': stepsOf(payload.length, METERED_BYTES) + (retain ? messagesOf(topic, payload) : 0) };
}

/** A message to a client. */
export function deliveryCharges(topic: string, payload: string | Buffer): Charges {
  return { 'iot:messages': messagesOf(topic, payload), 'transfer:bytesOut': bytesOf(topic, payload) };
}

/** A SUBSCRIBE, by the size of its filters. */
export function subscribeCharges(filters: readonly string[]): Charges {
  return { 'iot:messages': messagesOf(filters.join(''), '') };
}

/** A rule that a message triggers: one rule, whether or not its condition holds, and each action that runs, in the same steps. */
export function ruleCharges(payload: Buffer, actions: number): Charges {
  const steps = stepsOf(payload.length, METERED_BYTES);
  return { 'iot:rules': steps, 'iot:actions': steps * actions };
}

const bytesOf = (topic: string, payload: string | Buffer) => Buffer.byteLength(topic) + Buffer.byteLength(payload);
const messagesOf = (topic: string, payload: string | Buffer) => stepsOf(bytesOf(topic, payload), METERED_BYTES);
