import * as z from 'zod/mini';
import { sample, type Sample } from '../../domain/telemetry';
import type { Organisation } from '../../domain/id';
import { sendToDevices } from './device-queue';

/** So long no other state of the device is due, in seconds. */
const DELAY_S = 1;
/** A sample has at most about 10 kB as JSON; SQS takes 256 kB, in some regions more. */
const SAMPLES_IN_MESSAGE = 20;

const trailing = z.strictObject({
  organisation: z.string(),
  /** When the samples came in, ISO 8601. */
  at: z.string(),
  trailing: z.array(sample),
});

/** Samples that were too early to be written, each the newest of its device when it came in. */
export type TrailingStates = z.output<typeof trailing>;

/** Whether a message of the queue is one of these. */
export const isTrailing = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'trailing' in message;

/** A message of the queue as it was sent. @throws ZodError for one that we never sent */
export const readTrailing = (message: unknown): TrailingStates => trailing.parse(message);

/**
 * Has samples kept in a second, by whoever reads the queue, unless later ones are kept by then. Each sample is in the
 * message itself: an instance that remembered it might be gone.
 * @param at when they came in
 */
export async function keepInASecond(organisation: Organisation, samples: readonly Sample[], at: Date): Promise<void> {
  const messages: TrailingStates[] = [];
  for (let from = 0; from < samples.length; from += SAMPLES_IN_MESSAGE)
    messages.push({ organisation, at: at.toISOString(), trailing: samples.slice(from, from + SAMPLES_IN_MESSAGE) });
  await Promise.all(messages.map((message) => sendToDevices(message, DELAY_S)));
}
