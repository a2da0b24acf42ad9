import type { Organisation } from '../values/id';
import { invalid, Refusal } from '../values/refusal';

/** Digits of the number in base 36: enough for a million events a second for a hundred years. */
const DIGITS = 10;

const shape = /^event-([0-9a-z]{8})-([0-9a-z]{10})$/;

/**
 * The cursor of an event: its number in the log of its organisation, in the form of an identifier. Opaque to partners, except
 * that cursors of an organisation sort as text in the order of the log.
 * @param number 1 for the first event; 0 for the beginning of the log
 */
export const formatCursor = (organisation: Organisation, number: number): string =>
  `event-${organisation}-${number.toString(36).padStart(DIGITS, '0')}`;

/** A cursor whose next event is no longer in the log. */
export const cursorExpired = () =>
  new Refusal('cursor_expired', [
    { path: 'after', message: 'is older than the log: begin with after=oldest, or read the current state' },
  ]);

/** A cursor that is later than the log it belongs to. */
export const notYetIssued = () => invalid('after', 'is a cursor that was not issued yet');

/**
 * Reads a cursor that a client sent as `after`.
 * @returns the number of its event
 * @throws Refusal `invalid_request` when it is none, cut, or another organisation's
 */
export function readCursor(caller: Organisation, cursor: string): number {
  const [, organisation, number = ''] = shape.exec(cursor) ?? [];
  if (organisation === undefined) throw invalid('after', 'is not a cursor of this service, or a part of one');
  if (organisation !== caller) throw invalid('after', "is not a cursor of your organisation's events");
  return parseInt(number, 36);
}
