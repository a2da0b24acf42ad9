import * as z from 'zod';
import { SAID_EVERY_MS, SAMPLES_LEFT_OUT, SAMPLES_RECEIVED } from '../../domain/telemetry/receipt';
import { PLATFORM } from '../../domain/values/service';
import type { LogLine } from '../trace/way';
import { listed } from './description';

const samplesLine = z.object({
  timestamp: z.string(),
  message: z.enum([SAMPLES_RECEIVED, SAMPLES_LEFT_OUT]),
  publisher: z.string(),
  dropped: z.string().optional(),
  samples: z.number(),
});

/** What the log says of samples of a publisher. */
interface Published {
  /** A client, or the platform. */
  readonly publisher: string;
  /** What was dropped of these samples, and why; undefined: nothing, or the log does not say. */
  readonly dropped?: string | undefined;
  /** How many there were at least. */
  readonly samples: number;
  /** When the log said so last; there may have been more for five minutes. */
  readonly lastAt: string;
}

/** Sums up the lines about a device, the latest publisher first. */
export const publishedIn = (lines: readonly LogLine[]): Published[] => summedUp(lines, SAMPLES_RECEIVED);

/** Sums up what has no lines of its own, of any device: whether it is of one that is asked for, nobody knows. */
export const leftOutIn = (lines: readonly LogLine[]): Published[] => summedUp(lines, SAMPLES_LEFT_OUT);

function summedUp(lines: readonly LogLine[], message: string): Published[] {
  const found = new Map<string, Published>();
  for (const line of lines) {
    const { data } = samplesLine.safeParse(line);
    if (data?.message !== message) continue;
    const { publisher, dropped, samples, timestamp } = data;
    const key = `${publisher} ${dropped}`;
    const { samples: before = 0, lastAt = '' } = found.get(key) ?? {};
    found.set(key, {
      publisher,
      dropped,
      samples: before + samples,
      lastAt: timestamp > lastAt ? timestamp : lastAt,
    });
  }
  return [...found.values()].toSorted((one, other) => other.lastAt.localeCompare(one.lastAt));
}

/** The same as text; what has no lines of its own is a list only if there is such. */
export const describePublished = (published: readonly Published[], leftOut: readonly Published[]): string =>
  [
    listed(`Samples of the last hour, logged every ${SAID_EVERY_MS / 60_000} minutes`, published.map(rowOf)),
    ...(leftOut.length > 0
      ? [listed('Samples with no lines of their own, perhaps of this device', leftOut.map(rowOf))]
      : []),
  ].join('\n\n');

const rowOf = ({ publisher, dropped, samples, lastAt }: Published): string[] => [
  publisher === PLATFORM ? 'the platform' : `client ${publisher}`,
  `${samples} or more`,
  `last ${lastAt}`,
  dropped === undefined ? '' : `dropped: ${dropped}`,
];
