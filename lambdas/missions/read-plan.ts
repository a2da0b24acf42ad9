import * as z from 'zod/mini';
import {
  checkedLine,
  MAX_WAYPOINTS,
  tooManyWaypoints,
  type HeightReference,
  type MissionLine,
  type Waypoint,
} from '../../domain/missions/mission';
import { formatMediaTypes } from '../../domain/missions/mission-record';
import { invalid } from '../../domain/values/refusal';
import { check } from '../runtime/details';
import { missionFile, type MissionFile } from './mission-file';
import { membersOf, readJsonFile, shown } from './read-text';

/** Items of a plan: some for each waypoint. */
const MAX_ITEMS = 4 * MAX_WAYPOINTS;

/** A parameter; null is NaN, so not given. */
const parameter = z.nullable(z.number());
const simpleItem = z.object({
  type: z.literal('SimpleItem'),
  autoContinue: z.nullish(z.boolean()),
  command: z.int(),
  frame: z.int(),
  params: z.tuple([parameter, parameter, parameter, parameter, parameter, parameter, parameter]),
});
type SimpleItem = z.output<typeof simpleItem>;

const plan = z.object({
  fileType: z.literal('Plan'),
  version: z.nullish(z.literal(1)),
  mission: z.object({ version: z.nullish(z.literal(2)), items: z.array(simpleItem) }),
  geoFence: z.nullish(z.object({ version: z.nullish(z.literal([1, 2])) })),
});

/** What a geofence of version 2 has, as lists; of version 1, a polygon. */
const fenceShapes = ['polygons', 'circles', 'polygon'];

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

/**
 * The commands of MAVLink that leave the drone on its line, so that they need not be kept: waiting, speed, heading,
 * cameras, gimbals, lights, and what else a drone carries. Whatever is not here may move it, also a command that is
 * new, or that has another meaning on each drone, such as 31000 (USER_1).
 */
const still = new Set([
  93, // NAV_DELAY
  112, // CONDITION_DELAY
  114, // CONDITION_DISTANCE
  115, // CONDITION_YAW
  178, // DO_CHANGE_SPEED
  181, // DO_SET_RELAY
  182, // DO_REPEAT_RELAY
  183, // DO_SET_SERVO
  184, // DO_REPEAT_SERVO
  187, // DO_SET_ACTUATOR
  189, // DO_LAND_START: a mark, of where the way to the landing begins
  195, // DO_SET_ROI_LOCATION
  196, // DO_SET_ROI_WPNEXT_OFFSET
  197, // DO_SET_ROI_NONE
  198, // DO_SET_ROI_SYSID
  200, // DO_CONTROL_VIDEO
  201, // DO_SET_ROI
  202, // DO_DIGICAM_CONFIGURE
  203, // DO_DIGICAM_CONTROL
  204, // DO_MOUNT_CONFIGURE
  205, // DO_MOUNT_CONTROL
  206, // DO_SET_CAM_TRIGG_DIST
  211, // DO_GRIPPER
  214, // DO_SET_CAM_TRIGG_INTERVAL
  216, // DO_SPRAYER
  220, // DO_MOUNT_CONTROL_QUAT
  405, // ILLUMINATOR_ON_OFF
  530, // SET_CAMERA_MODE
  531, // SET_CAMERA_ZOOM
  532, // SET_CAMERA_FOCUS
  533, // SET_STORAGE_USAGE
  534, // SET_CAMERA_SOURCE
  600, // JUMP_TAG: a mark; the jump to it, 601, is refused
  1000, // DO_GIMBAL_MANAGER_PITCHYAW
  1001, // DO_GIMBAL_MANAGER_CONFIGURE
  2000, // IMAGE_START_CAPTURE
  2001, // IMAGE_STOP_CAPTURE
  2002, // REQUEST_CAMERA_IMAGE_CAPTURE
  2003, // DO_TRIGGER_CONTROL
  2004, // CAMERA_TRACK_POINT
  2005, // CAMERA_TRACK_RECTANGLE
  2010, // CAMERA_STOP_TRACKING
  2500, // VIDEO_START_CAPTURE
  2501, // VIDEO_STOP_CAPTURE
  2502, // VIDEO_START_STREAMING
  2503, // VIDEO_STOP_STREAMING
  2510, // LOGGING_START
  2511, // LOGGING_STOP
  3000, // DO_VTOL_TRANSITION
  42_600, // DO_WINCH
]);

/**
 * Reads a mission in a plan of QGroundControl (its Plan file format, MAVLink's MAV_CMD): the places of its waypoints, loiters and
 * splines, of the take-off and of the landing.
 *
 * Only the line is read. Commands that are known to do something without flying elsewhere are ignored: cameras,
 * gimbals, speeds, delays; so are how long and how wide a drone loiters, the home position and rally points. Everything
 * else is refused, since it may make a drone fly otherwise: all other commands, surveys (`ComplexItem`), a geofence, a
 * wait for a person, and other versions of the format.
 * @param isNamed whether the caller names the mission: a plan doesn't
 * @throws Refusal `invalid_request` with a JSON path, or a waypoint
 */
export function readPlan(content: Buffer, isNamed: boolean): MissionFile {
  if (content.subarray(0, WAYPOINT_LIST.length).equals(WAYPOINT_LIST))
    throw invalid('', 'is a list of waypoints (QGC WPL): open it in QGroundControl, and save it as a plan');
  const value = readJsonFile(content);
  expectNoGeoJson(value);
  expectSimple(value);
  const line = lineOf(check(plan, withAllParameters(value)).mission.items);
  return missionFile({ line, isReferenceNamed: false }, isNamed);
}

/** The types of GeoJSON (RFC 7946 section 1.4) that a mission may be: many send it as the JSON that it is. */
const GEO_JSON_TYPES: readonly unknown[] = ['FeatureCollection', 'Feature', 'LineString'];

/** @throws Refusal `invalid_request` for GeoJSON, which has a media type of its own */
function expectNoGeoJson(value: unknown): void {
  if (GEO_JSON_TYPES.includes(membersOf(value)?.['type']))
    throw invalid('', `the file is GeoJSON: send it as ${formatMediaTypes.GEOJSON}`);
}

/** How the files of Mission Planner begin, which are no JSON. */
const WAYPOINT_LIST = Buffer.from('QGC WPL');

/**
 * A plan whose items have seven parameters: before 2018 QGroundControl wrote four, and the others as `coordinate`,
 * which it still reads. What is neither stays as it is.
 */
function withAllParameters(value: unknown): unknown {
  const members = membersOf(value);
  const mission = membersOf(members?.['mission']);
  const items = mission?.['items'];
  if (!Array.isArray(items)) return value;
  return { ...members, mission: { ...mission, items: items.map(withCoordinate) } };
}

function withCoordinate(item: unknown): unknown {
  const members = membersOf(item);
  const { params, coordinate } = members ?? {};
  if (!Array.isArray(params) || params.length !== 4 || !Array.isArray(coordinate) || coordinate.length !== 3)
    return item;
  return { ...members, params: [...(params as unknown[]), ...(coordinate as unknown[])] };
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
  const fence = membersOf(geoFence) ?? {};
  for (const member of Object.keys(fence))
    if (!isLeftOut(member, fence[member]))
      throw invalid(`geoFence.${shown(member)}`, 'is not kept: remove the geofence');
}

/** Whether a member of a geofence fences nothing in. */
const isLeftOut = (member: string, value: unknown) =>
  member === 'version' ||
  value === null ||
  (fenceShapes.includes(member) && Array.isArray(value) && value.length === 0);

function lineOf(items: readonly SimpleItem[]): MissionLine {
  const waypoints: Waypoint[] = [];
  let reference: HeightReference | undefined;
  let isOver = false;
  for (const [index, item] of items.entries()) {
    const path = `mission.items.${index}`;
    if (item.autoContinue === false && index < items.length - 1)
      throw invalid(`${path}.autoContinue`, 'must be true: the drone would wait here for a command');
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

/** What an item is for the line; undefined when it is nothing. @throws Refusal for a command that may move the drone otherwise */
function partOf({ command }: SimpleItem, path: string): Part | undefined {
  const part = Object.hasOwn(parts, command) ? parts[command] : undefined;
  if (part || still.has(command)) return part;
  throw invalid(`${path}.command`, `${command} is not known to keep to a line of waypoints`);
}

/**
 * Where an item is; undefined for a take-off or a landing that happens where the drone is, with nothing or zeros as its
 * place.
 */
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
