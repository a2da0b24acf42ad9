/**
 * What the log says of the samples that publishers send. A line for each sample would cost more than the sample: the same is
 * said every five minutes, with how many there were.
 */
import { Unreadable } from '../values/judged';
import { organisationOf } from '../values/id';
import type { Detail } from '../values/refusal';
import { sample as sampleSchema } from './reported-sample';
import { withoutNullIsland, type Sample } from './sample';

/** The message of these lines. */
export const SAMPLES_RECEIVED = 'samples received';

/** The message of a line that stands for those that a publisher has too many of. */
export const SAMPLES_LEFT_OUT = 'samples left out of the log';

/** How often the log says the same, in ms. */
export const SAID_EVERY_MS = 5 * 60_000;

/** The fault of a sample of which nobody knows whether it counts, and which this service does not try again by itself. */
export const SERVICE_FAILED: Detail = { path: '', message: 'the service failed' };

/** What became of a sample, in words that are not the publisher's: without secrets, and of a few kinds. */
export interface Receipt {
  /** Undefined for a text that is no identifier of a device. */
  readonly deviceId: string | undefined;
  /** Why it was refused, or that its position was ignored; undefined when all of it counts. */
  readonly dropped: string | undefined;
  /** Its device may be made up then. */
  readonly isRefused: boolean;
}

/**
 * What became of a sample.
 * @param fault the first that was found; its path is that in the sample
 */
export function receiptOf(received: Sample | Unreadable, fault: Detail | undefined): Receipt {
  if (received instanceof Unreadable)
    return { deviceId: deviceIn(received.input), dropped: malformed(fault?.path.split('.', 1)[0]), isRefused: true };
  const deviceId = deviceIn(received);
  // Faults of what could be read are sentences of this service.
  if (fault) return { deviceId, dropped: `${fault.path} ${fault.message}`.trim(), isRefused: true };
  const dropped = withoutNullIsland(received) === received ? undefined : 'position at 0, 0';
  return { deviceId, dropped, isRefused: false };
}

function deviceIn(received: unknown): string | undefined {
  const { deviceId } = (received ?? {}) as { readonly deviceId?: unknown };
  return typeof deviceId === 'string' && organisationOf('device', deviceId) ? deviceId : undefined;
}

/** @param field of the fault, which may be a name that the publisher chose */
const malformed = (field = ''): string =>
  Object.hasOwn(sampleSchema.shape, field) ? `malformed: ${field}` : 'malformed';

/** How many samples had the same receipt. */
export interface SampleCount {
  /** When the log said so, Unix ms. */
  readonly saidAt: number;
  /** How many there were since then; 0 when the log says so now. */
  readonly unsaid: number;
  /** How many the log says now. */
  readonly said: number;
}

/** Counts further samples. @param before undefined for the first ones, which the log says at once */
export function countSamples(before: SampleCount | undefined, more: number, now: Date): SampleCount {
  const samples = (before?.unsaid ?? 0) + more;
  const at = now.getTime();
  return before && at - before.saidAt < SAID_EVERY_MS
    ? { saidAt: before.saidAt, unsaid: samples, said: 0 }
    : { saidAt: at, unsaid: 0, said: samples };
}

/**
 * How many lines a publisher has in five minutes at most. What it makes up is refused, and that alone could fill the log. What is
 * accepted is of its fleet: that bound is for the memory of an instance only.
 */
const MOST_LINES = { accepted: 10_000, refused: 1000 } as const;

/**
 * Whether the log may say one thing more of a publisher.
 * @param counts what it said of the same publisher, of samples that were refused or of others; the oldest first
 */
export function hasRoom(counts: ReadonlyMap<string, SampleCount>, isRefused: boolean, now: Date): boolean {
  const [oldest] = counts.values();
  const isFull = counts.size >= mostLines(isRefused);
  return !isFull || (oldest !== undefined && now.getTime() - oldest.saidAt >= SAID_EVERY_MS);
}

/** How many counts are remembered of a publisher, of samples that were refused or of others. */
export const mostLines = (isRefused: boolean): number => (isRefused ? MOST_LINES.refused : MOST_LINES.accepted);
