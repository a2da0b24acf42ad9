import { ageAt } from '../../domain/telemetry/sample';

/** A message with the age that it has now, if it has one: sending those before it took a while. */
export const withAgeNow = <Message extends object>(message: Message): Message =>
  'age' in message && 'timestamp' in message
    ? { ...message, age: ageAt({ timestamp: String(message.timestamp) }, new Date()) }
    : message;
