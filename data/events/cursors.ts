import { formatCursor, notYetIssued, readCursor } from '../../domain/events/cursor';
import type { Organisation } from '../../domain/values/id';
import { findLast } from './log-end';

/** The cursor of an organisation's last event, by one strongly consistent query. */
export const lastCursor = async (organisation: Organisation): Promise<string> =>
  formatCursor(organisation, await findLast(organisation));

/**
 * Reads a cursor that a client sent, by one strongly consistent query.
 * @returns the number of its event
 * @throws Refusal `invalid_request` when it is none, another organisation's, or not issued yet
 */
export async function findCursor(caller: Organisation, cursor: string): Promise<number> {
  const number = readCursor(caller, cursor);
  if (number > (await findLast(caller))) throw notYetIssued();
  return number;
}
