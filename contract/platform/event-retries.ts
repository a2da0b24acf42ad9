/**
 * How often the queue of retries (`lib/platform/inbound-events.ts`) delivers an event of the platform's bus before it goes
 * to the dead-letter queue.
 */
export const MAX_RETRIES = 5;
