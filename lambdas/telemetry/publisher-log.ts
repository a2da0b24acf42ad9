import {
  countSamples,
  hasRoom,
  mostLines,
  receiptOf,
  SAMPLES_LEFT_OUT,
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

/** What this instance has received of a publisher. */
interface Received {
  /** By device and reason, those first that the log has not named for longest. */
  readonly accepted: Map<string, SampleCount>;
  readonly refused: Map<string, SampleCount>;
  /** Of those without a line of their own. */
  leftOut?: SampleCount;
}

/** Of each publisher by itself, so that none keeps another out of the log. Only an operator adds clients: they are few. */
const published = new Map<string, Received>();

/**
 * Logs who publishes which device, and what of its samples was dropped and why: each at once, then every five minutes.
 * A line says so when a publisher has too many of them.
 * @param publisher a client, or the platform
 * @param telemetry samples of one message, with their places in it
 * @param faults of those that were refused
 */
export function logPublished(
  publisher: string,
  telemetry: Iterable<readonly [index: number, sample: Sample | Unreadable]>,
  faults: readonly SampleFault[],
  now: Date,
): void {
  const firstFaults = new Map(faults.toReversed().map((fault) => [fault.index, fault]));
  const alike = new Map<string, { readonly receipt: Receipt; readonly samples: number }>();
  for (const [index, each] of telemetry) {
    const receipt = receiptOf(each, firstFaults.get(index));
    const key = [receipt.deviceId, receipt.dropped].join(' ');
    alike.set(key, { receipt, samples: (alike.get(key)?.samples ?? 0) + 1 });
  }
  const received = published.get(publisher) ?? { accepted: new Map(), refused: new Map() };
  published.set(publisher, received);
  let leftOut = 0;
  for (const [key, { receipt, samples }] of alike) {
    const said = count(received, key, receipt, samples, now);
    if (said === undefined) leftOut += samples;
    else if (said > 0) {
      const { deviceId, dropped } = receipt;
      logger.info(SAMPLES_RECEIVED, { deviceId, dropped, publisher, samples: said });
    }
  }
  if (leftOut > 0) countLeftOut(received, publisher, leftOut, now);
}

/** @returns how many samples the log says now; undefined when it has no room for them */
function count(
  received: Received,
  key: string,
  { isRefused }: Receipt,
  samples: number,
  now: Date,
): number | undefined {
  const counts = isRefused ? received.refused : received.accepted;
  const before = counts.get(key);
  if (!before && !hasRoom(counts, isRefused, now)) return undefined;
  const counted = countSamples(before, samples, now);
  if (counted.said > 0) counts.delete(key);
  counts.set(key, counted);
  const [oldest = key] = counts.keys();
  if (counts.size > mostLines(isRefused)) counts.delete(oldest);
  return counted.said;
}

function countLeftOut(received: Received, publisher: string, samples: number, now: Date): void {
  const leftOut = (received.leftOut = countSamples(received.leftOut, samples, now));
  // They are of any device and job, and not only of those that the event is about.
  const unnamed = { deviceId: undefined, jobId: undefined };
  if (leftOut.said > 0) logger.info(SAMPLES_LEFT_OUT, { ...unnamed, publisher, samples: leftOut.said });
}
