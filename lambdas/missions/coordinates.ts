import { MAX_WAYPOINTS } from '../../domain/missions/mission';
import { shown } from './read-text';
import { atLine, type XmlElement } from './read-xml';

/**
 * A decimal number of XML Schema, without its special values: those are nowhere. Each digit can be matched in one way
 * only, so the time is linear in the length.
 */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** @throws Refusal `invalid_request` with the line */
export function numberAt(line: number, text: string): number {
  if (!DECIMAL.test(text)) throw atLine(line, `"${shown(text)}" is not a number`);
  return Number(text);
}

/** A tuple of `coordinates`, and its line. */
export interface CoordinateTuple {
  readonly line: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly height?: number;
}

/**
 * The tuples of a `coordinates` element: `longitude,latitude[,height]`, between them white space (OGC 07-147r2, 16.9).
 * @throws Refusal `invalid_request` with the line, for text that is no such tuple, and for more than a mission may have
 */
export function tuplesIn({ text, line: firstLine }: XmlElement): CoordinateTuple[] {
  const tuples: CoordinateTuple[] = [];
  let line = firstLine;
  let seen = 0;
  for (const { 0: tuple, index } of text.matchAll(/\S+/g)) {
    line += linesIn(text.slice(seen, index));
    seen = index;
    if (tuples.length === MAX_WAYPOINTS) throw atLine(line, `a line must have at most ${MAX_WAYPOINTS} waypoints`);
    if (isSplit(tuple, text, index))
      throw atLine(
        line,
        `"${shown(tuple)}" has a space or nothing beside a comma: write longitude,latitude,height without spaces`,
      );
    tuples.push(readTuple(line, tuple));
  }
  return tuples;
}

/** Whether a part of a text is no whole tuple, since white space or nothing stands beside one of its commas. */
const isSplit = (part: string, text: string, index: number) =>
  part.startsWith(',') ||
  part.endsWith(',') ||
  part.includes(',,') ||
  // One number alone is no tuple, so the rest of the text is looked at once.
  (!part.includes(',') &&
    text
      .slice(index + part.length)
      .trimStart()
      .startsWith(','));

const linesIn = (text: string) => text.split('\n').length - 1;

function readTuple(line: number, tuple: string): CoordinateTuple {
  const [longitude, latitude, height, ...more] = tuple.split(',', 4);
  if (longitude === undefined || latitude === undefined || more.length > 0)
    throw atLine(line, `"${shown(tuple)}" must be longitude,latitude or longitude,latitude,height`);
  return {
    line,
    longitude: numberAt(line, longitude),
    latitude: numberAt(line, latitude),
    ...(height !== undefined && { height: numberAt(line, height) }),
  };
}
