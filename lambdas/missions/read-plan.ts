import * as z from 'zod/mini';
import {
  checkedLine,
  MAX_WAYPOINTS,
  tooManyWaypoints,
  type HeightReference,
  type MissionLine,
  type Waypoint,
} from '../../domain/mission';
import { invalid } from '../../domain/refusal';
import { check } from '../details';
import { missionFile, type MissionFile } from './mission-file';
import { membersOf, readJsonFile } from './read-json-file';

/** Items of a plan: some for each waypoint. */
const MAX_ITEMS = 4 * MAX_WAYPOINTS;

/** A parameter; null is NaN, so not given. */
const parameter = z.nullable(z.number());
const simpleItem = z.object({
  type: z.literal('SimpleItem'),
  command: z.int(),
  frame: z.int(),
  params: z.tuple([parameter, parameter, parameter, parameter, parameter, parameter, parameter]),
});
type SimpleItem = z.output<typeof simpleItem>;

const plan = z.object({
  fileType: z.literal('Plan'),
  mission: z.object({ version: z.optional(z.literal(2)), items: z.array(simpleItem) }),
});

/** What the heights of a frame are measured from (MAVLink, MAV_FRAME). QGroundControl writes what it calls calculated as 0. */
const references: Readonly<Record<number, HeightReference>> = {
  0: 'SEA_LEVEL',
  3: 'TAKE_OFF',
  5: 'SEA_LEVEL',
  6: 'TAKE_OFF',
  10: 'GROUND',
  11: 'GROUND',
};

/**
 * What a command is for the line: a waypoint; a take-off, which is one if it says where; a waypoint where the mission ends; a
 * landing, which is one at the height of the waypoint before if it says where; an end.
 */
type Part = 'WAYPOINT' | 'TAKE_OFF' | 'LAST' | 'LANDING' | 'END';

/** The commands of MAVLink (MAV_CMD) that a line can keep. */
const parts: Readonly<Record<number, Part>> = {
  16: 'WAYPOINT', // NAV_WAYPOINT
  17: 'LAST', // NAV_LOITER_UNLIM
  18: 'WAYPOINT', // NAV_LOITER_TURNS
  19: 'WAYPOINT', // NAV_LOITER_TIME
  20: 'END', // NAV_RETURN_TO_LAUNCH
  21: 'LANDING', // NAV_LAND
  22: 'TAKE_OFF', // NAV_TAKEOFF
  82: 'WAYPOINT', // NAV_SPLINE_WAYPOINT
  84: 'TAKE_OFF', // NAV_VTOL_TAKEOFF
  85: 'LANDING', // NAV_VTOL_LAND
};

/** The last number of MAVLink's commands of navigation, NAV_LAST. Above it are conditions, and what is done without flying elsewhere. */
const NAV_LAST = 95;

/** Those above it that move the drone all the same, or change in which order or from where it flies. */
const moves = new Set([
  113, // CONDITION_CHANGE_ALT
  176, // DO_SET_MODE
  177, // DO_JUMP
  179, // DO_SET_HOME
  185, // DO_FLIGHTTERMINATION
  186, // DO_CHANGE_ALTITUDE
  188, // DO_RETURN_PATH_START
  190, // DO_RALLY_LAND
  191, // DO_GO_AROUND
  192, // DO_REPOSITION
  193, // DO_PAUSE_CONTINUE
  194, // DO_SET_REVERSE
  208, // DO_PARACHUTE
  213, // NAV_SET_YAW_SPEED
  224, // DO_SET_MISSION_CURRENT
  252, // OVERRIDE_GOTO
  601, // DO_JUMP_TAG
  4501, // CONDITION_GATE
]);

/**
 * Reads a mission in a plan of QGroundControl (its Plan file format, MAVLink's MAV_CMD): the places of its waypoints, loiters and
 * splines, of the take-off and of the landing.
 *
 * Only the line is read. Commands that do something without flying elsewhere are ignored: cameras, gimbals, speeds, delays; so are
 * how long and how wide a drone loiters, the home position and rally points. What would make a drone fly otherwise is refused:
 * other commands of navigation, jumps, surveys (`ComplexItem`) and a geofence.
 * @throws Refusal `invalid_request` with a JSON path, or a waypoint
 */
export function readPlan(content: Buffer): MissionFile {
  const value = readJsonFile(content);
  expectSimple(value);
  return missionFile(lineOf(check(plan, value).mission.items), undefined);
}

/** Says in words what a line can't keep, and how many items there may be, before each of them is looked at. */
function expectSimple(value: unknown): void {
  const { mission, geoFence } = membersOf(value) ?? {};
  const items = membersOf(mission)?.['items'];
  if (Array.isArray(items)) {
    if (items.length > MAX_ITEMS) throw invalid('mission.items', `must have at most ${MAX_ITEMS} elements`);
    const complex = items.findIndex((item) => membersOf(item)?.['type'] === 'ComplexItem');
    if (complex >= 0)
      throw invalid(`mission.items.${complex}`, 'is a ComplexItem, such as a survey: only simple items have waypoints');
  }
  for (const shape of ['polygons', 'circles']) {
    const shapes = membersOf(geoFence)?.[shape];
    if (Array.isArray(shapes) && shapes.length > 0)
      throw invalid(`geoFence.${shape}`, 'is not kept: remove the geofence');
  }
}

function lineOf(items: readonly SimpleItem[]): MissionLine {
  const waypoints: Waypoint[] = [];
  let reference: HeightReference | undefined;
  let isOver = false;
  for (const [index, item] of items.entries()) {
    const path = `mission.items.${index}`;
    const part = partOf(item, path);
    if (!part) continue;
    if (isOver) throw invalid(path, 'comes after the end of the mission');
    isOver = part === 'END' || part === 'LANDING' || part === 'LAST';
    const place = part === 'END' ? undefined : placeOf(item, part, path);
    if (!place) continue;
    if (waypoints.length === MAX_WAYPOINTS) throw tooManyWaypoints('mission.items');
    if (part === 'LANDING') {
      waypoints.push([...place, heightBefore(waypoints, path)]);
      continue;
    }
    const own = referenceOf(item, path);
    if (own !== (reference ?? own))
      throw invalid(`${path}.frame`, `measures heights from ${own}, those before from ${reference ?? ''}`);
    reference = own;
    waypoints.push([...place, heightOf(item, path)]);
  }
  return checkedLine(waypoints, reference ?? 'JOB');
}

/** What an item is for the line; undefined when it is nothing. @throws Refusal for a command that would move the drone otherwise */
function partOf({ command }: SimpleItem, path: string): Part | undefined {
  const part = Object.hasOwn(parts, command) ? parts[command] : undefined;
  if (part || (command > NAV_LAST && !moves.has(command))) return part;
  throw invalid(`${path}.command`, `${command} would fly otherwise than a line of waypoints`);
}

/** Where an item is; undefined for a take-off or a landing that happens where the drone is, with nothing or zeros as its place. */
function placeOf({ params }: SimpleItem, part: Part, path: string): readonly [number, number] | undefined {
  const [, , , , latitude, longitude] = params;
  const isMissing = latitude === null || longitude === null;
  if ((part === 'TAKE_OFF' || part === 'LANDING') && (isMissing || (latitude === 0 && longitude === 0)))
    return undefined;
  if (isMissing) throw invalid(`${path}.params`, 'has no latitude and longitude (numbers 5 and 6)');
  return [longitude, latitude];
}

function referenceOf({ frame }: SimpleItem, path: string): HeightReference {
  const reference = Object.hasOwn(references, frame) ? references[frame] : undefined;
  if (!reference) throw invalid(`${path}.frame`, `must be one of ${Object.keys(references).join(', ')}`);
  return reference;
}

function heightOf({ params }: SimpleItem, path: string): number {
  const height = params[6];
  if (height === null) throw invalid(`${path}.params`, 'has no altitude (number 7)');
  return height;
}

/** A drone flies to where it lands as high as it is, and then descends: its own altitude is that of the ground. */
function heightBefore(waypoints: readonly Waypoint[], path: string): number {
  const height = waypoints.at(-1)?.[2];
  if (height === undefined) throw invalid(path, 'is a landing before any waypoint');
  return height;
}
