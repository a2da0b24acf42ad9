import { describeFault } from '../../contract/terms/validation-messages';
import { expectHeights, type MissionLine } from '../../domain/missions/mission';
import type { Refusal } from '../../domain/values/refusal';
import { isVisible, ofOneLine, text } from '../../domain/values/text';
import { atLine, textOf, type XmlElement } from './read-xml';

/** What a mission file says: its line, and its name if it has one. */
export interface MissionFile {
  readonly name?: string;
  readonly line: MissionLine;
}

/** A file as it was read. */
interface ReadFile {
  readonly line: MissionLine;
  /** Of a file that may name itself. */
  readonly name?: FoundName | undefined;
  /** Whether it says in the service's own words what heights are measured from, by `heightReference`. */
  readonly isReferenceNamed: boolean;
}

/** The name that a file has, before it is checked; null, undefined, an empty text and one that shows nothing are no name. */
export interface FoundName {
  readonly value: unknown;
  /** The refusal that says where the name stands. @param fault what is wrong with it */
  readonly refused: (fault: string) => Refusal;
}

/**
 * Reads the file of a mission.
 * @param isNamed whether the caller has named the mission, so that the name in the file is not looked at
 * @throws Refusal `invalid_request`
 */
export type ReadMissionFile = (content: Buffer, isNamed: boolean) => MissionFile | Promise<MissionFile>;

/**
 * A mission file, from what was read.
 * @throws Refusal `invalid_request` for heights that are all 0, unless the file says that this is meant; and for a name
 * that can't be one
 */
export function missionFile({ line, name, isReferenceNamed }: ReadFile, isNamed: boolean): MissionFile {
  expectHeights(line, isReferenceNamed);
  const own = isNamed ? undefined : checkedName(name);
  return own ? { line, name: own } : { line };
}

/** The name that a file has: as one of the service's own, but it may be empty, and must be of one line. */
const fileName = text(0, 256).check(ofOneLine);

function checkedName(name: FoundName | undefined): string | undefined {
  if (name?.value === undefined || name.value === null) return undefined;
  const { data, error } = fileName.safeParse(name.value, { error: describeFault });
  if (error) throw name.refused(error.issues[0]?.message ?? '');
  return isVisible(data) ? data : undefined;
}

/** The name that an element is, with its line; undefined when it has no text. */
export function nameIn(element: XmlElement | undefined): FoundName | undefined {
  const value = textOf(element);
  if (!element || value === undefined) return undefined;
  return { value, refused: (fault) => atLine(element.line, `the name ${fault}`) };
}
