import * as z from 'zod/mini';
import { describeFault } from '../../contract/validation-messages';
import { expectHeights, type MissionLine } from '../../domain/mission';
import { text } from '../../domain/text';
import { atLine, textOf, type XmlElement } from './read-xml';

/** What a mission file says: its line, and its name if it has one. */
export interface MissionFile {
  readonly name?: string;
  readonly line: MissionLine;
}

/** A file as it was read. */
interface ReadFile {
  readonly line: MissionLine;
  /** Its name, checked by {@link fileName}; null, undefined and an empty text are no name. */
  readonly name: string | null | undefined;
  /** Whether it says in the service's own words what heights are measured from, by `heightReference`. */
  readonly isReferenceNamed: boolean;
}

/**
 * A mission file, from what was read.
 * @throws Refusal `invalid_request` for heights that are all 0, unless the file says that this is meant
 */
export function missionFile({ line, name, isReferenceNamed }: ReadFile): MissionFile {
  expectHeights(line, isReferenceNamed);
  return name ? { line, name } : { line };
}

/** U+FFFD, also one that is escaped, stands for a character that a program could not read. */
const ofOneLine = z.refine<string>((value) => !/[\p{Cc}\uFFFD]/u.test(value), {
  error: 'must have no control characters, and no U+FFFD',
});

/** The name that a file has: as one of the service's own, but it may be empty, and must be of one line. */
export const fileName = text(0, 256).check(ofOneLine);

/** The name that an element is. @throws Refusal `invalid_request` with its line */
export function nameIn(element: XmlElement | undefined): string | undefined {
  const name = textOf(element);
  if (!element || name === undefined) return undefined;
  const fault = fileName.safeParse(name, { error: describeFault }).error?.issues[0];
  if (fault) throw atLine(element.line, `the name ${fault.message}`);
  return name;
}
