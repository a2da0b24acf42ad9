import {
  countSamples,
  receiptOf,
  SAID_EVERY_MS,
  SAMPLES_RECEIVED,
  type Receipt,
  type SampleCount,
} from '../../domain/telemetry/receipt';
import type { Sample } from '../../domain/telemetry/sample';
import type { Unreadable } from '../../domain/values/judged';
import type { Detail } from '../../domain/values/refusal';
import { logger } from '../runtime/logger';

/** A fault of a sample: its place in the list, and the path in the sample. */
export interface SampleFault extends Detail {
  readonly index: number;
}

/** As many lines are written in five minutes at most: a publisher may make up devices. */
const MAX_COUNTS = 10_000;

/** What this instance has received, those first that the log has not named for longest. */
const counts = new Map<string, SampleCount>();

/**
 * Logs who publishes which device, and what of its samples was dropped and why: each at once, then every five minutes.
 * @param publisher a client, or the platform
 * @param telemetry of one message
 * @param faults of those that were refused
 */
export function logPublished(
  publisher: string,
  telemetry: readonly (Sample | Unreadable)[],
  faults: readonly SampleFault[],
  now: Date,
): void {
  const firstFaults = new Map(faults.toReversed().map((fault) => [fault.index, fault]));
  const alike = new Map<string, { readonly receipt: Receipt; readonly samples: number }>();
  for (const [index, each] of telemetry.entries()) {
    const receipt = receiptOf(each, firstFaults.get(index));
    const key = [publisher, receipt.deviceId, receipt.dropped].join(' ');
    alike.set(key, { receipt, samples: (alike.get(key)?.samples ?? 0) + 1 });
  }
  for (const [key, { receipt, samples }] of alike) {
    const said = count(key, samples, now);
    if (said > 0) logger.info(SAMPLES_RECEIVED, { ...receipt, publisher, samples: said });
  }
}

/** @returns how many samples the log says now */
function count(key: string, samples: number, now: Date): number {
  const before = counts.get(key);
  if (!before && counts.size >= MAX_COUNTS && !madeRoom(now)) return 0;
  const counted = countSamples(before, samples, now);
  if (counted.said > 0) counts.delete(key);
  counts.set(key, counted);
  return counted.said;
}

/** Forgets what was said longest ago. @returns false: that is less than five minutes ago */
function madeRoom(now: Date): boolean {
  const [[oldest = '', { saidAt }] = ['', { saidAt: 0 }]] = counts;
  return now.getTime() - saidAt >= SAID_EVERY_MS && counts.delete(oldest);
}
