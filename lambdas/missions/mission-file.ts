import type { MissionLine } from '../../domain/mission';

/** What a mission file says: its line, and its name if it has one. */
export interface MissionFile {
  readonly name?: string;
  readonly line: MissionLine;
}

/** A file with the name that it has, if it has one that is not empty. */
export const missionFile = (line: MissionLine, name: string | undefined): MissionFile => ({
  line,
  ...(name !== undefined && name !== '' && { name }),
});
