import * as z from 'zod';
import { SAID_EVERY_MS, SAMPLES_RECEIVED } from '../../domain/telemetry/receipt';
import { PLATFORM } from '../../domain/values/service';
import type { LogLine } from '../trace/way';
import { listed } from './description';

const receivedLine = z.object({
  timestamp: z.string(),
  message: z.literal(SAMPLES_RECEIVED),
  publisher: z.string(),
  dropped: z.string().optional(),
  samples: z.number(),
});

/** What a publisher sent of a device. */
interface Published {
  /** A client, or the platform. */
  readonly publisher: string;
  /** What was dropped of these samples, and why; undefined: nothing. */
  readonly dropped?: string | undefined;
  /** How many there were at least. */
  readonly samples: number;
  /** When the log said so last; there may have been more for five minutes. */
  readonly lastAt: string;
}

/** Sums up the lines about a device, the latest publisher first. */
export function publishedIn(lines: readonly LogLine[]): Published[] {
  const found = new Map<string, Published>();
  for (const line of lines) {
    const { data } = receivedLine.safeParse(line);
    if (!data) continue;
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

/** The same as text. */
export const describePublished = (published: readonly Published[]): string =>
  listed(
    `Samples of the last hour, logged every ${SAID_EVERY_MS / 60_000} minutes`,
    published.map(({ publisher, dropped, samples, lastAt }) => [
      publisher === PLATFORM ? 'the platform' : `client ${publisher}`,
      `${samples} or more`,
      `last ${lastAt}`,
      dropped === undefined ? '' : `dropped: ${dropped}`,
    ]),
  );
