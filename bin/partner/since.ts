import * as z from 'zod';
import { UsageError } from '../command-line/usage-error';

const DAY_MS = 24 * 60 * 60_000;

const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/**
 * Reads the time of `--since`; without one it is a day ago.
 * @param now Unix ms
 * @returns ISO 8601 in UTC
 * @throws UsageError for another form, and for a time to come
 */
export function readSince(given: string | undefined, now: number): string {
  if (given === undefined) return new Date(now - DAY_MS).toISOString();
  const read = moment.safeParse(given);
  if (!read.success) throw new UsageError('--since must be a time such as 2026-11-26T09:30:00Z');
  if (Date.parse(read.data) > now) throw new UsageError('--since must not be in the future');
  return new Date(read.data).toISOString();
}
