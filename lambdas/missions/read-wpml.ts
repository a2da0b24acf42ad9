import {
  checkedLine,
  MAX_WAYPOINTS,
  type HeightReference,
  type MissionLine,
  type Waypoint,
} from '../../domain/missions/mission';
import { invalid, Refusal } from '../../domain/values/refusal';
import { numberAt, tuplesIn } from './coordinates';
import { missionFile, type MissionFile } from './mission-file';
import { childOf, documentName, kmlRoot } from './read-kml';
import { readFromKmz } from './read-kmz';
import { readText, shown } from './read-text';
import { atLine, elementsIn, textOf, type XmlElement } from './read-xml';

/** What a drone executes, and what a person edits; from the second the first is made. */
const WAYLINES = 'wpmz/waylines.wpml';
const TEMPLATE = 'wpmz/template.kml';

/** Any version of WPML: that of DJI's enterprise drones, and that of the files of DJI Fly. */
const isWpml = (namespace: string) => /^http:\/\/www\.(dji|uav)\.com\/wpmz\/1\.0\.\d+$/.test(namespace);

/**
 * What names the system of the coordinates: `wpml:coordinateMode` in DJI's description, `wpml:coordinateSysType` in
 * files of others.
 */
const coordinateSystems = ['coordinateMode', 'coordinateSysType'];

/** What the heights of `wpml:executeHeightMode` are measured from (DJI Cloud API, waylines.wpml). */
const executeHeightModes: Readonly<Record<string, HeightReference>> = {
  WGS84: 'ELLIPSOID',
  relativeToStartPoint: 'TAKE_OFF',
  realTimeFollowSurface: 'GROUND',
};

/** What those of a template's `wpml:heightMode` are (DJI Cloud API, template.kml). */
const heightModes: Readonly<Record<string, HeightReference>> = {
  EGM96: 'SEA_LEVEL',
  relativeToStartPoint: 'TAKE_OFF',
  aboveGroundLevel: 'GROUND',
  realTimeFollowSurface: 'GROUND',
};

/**
 * Reads a mission in DJI's WPML, packed in a KMZ: the one wayline of `wpmz/waylines.wpml`, or without that file the waypoints of
 * `wpmz/template.kml`. Its name is that of the Document.
 *
 * The template beside a wayline says only in which system both have their coordinates. One that can't be read says
 * nothing: a drone flies without it.
 *
 * Only the line is read. What a drone does at its waypoints and between them is not: actions, speeds, headings, the
 * gimbal, how it turns, and what it does before and after. Nor is a height in `coordinates`, where WPML has none.
 * @param isNamed whether the name in the file is not looked at
 * @throws Refusal `invalid_request` with a line of that file, or a waypoint
 */
export async function readWpml(content: Buffer, isNamed: boolean): Promise<MissionFile> {
  const files = await readFromKmz(content, [WAYLINES, TEMPLATE]);
  const [waylines, template] = [files.get(WAYLINES), files.get(TEMPLATE)];
  const document = waylines ?? template;
  if (!document)
    throw invalid('', `the archive has no ${WAYLINES}: it is not of DJI; of one of Google Earth, send the KML inside`);
  const root = kmlRoot(readText(document));
  expectWgs84(root);
  if (waylines && template) expectWgs84(rootOrNone(template), `${TEMPLATE}: `);
  const folder = waylineIn(root);
  const line = waylines ? executed(folder) : planned(folder);
  return missionFile({ line, name: documentName(root), isReferenceNamed: false }, isNamed);
}

/** The root of a document; undefined for what can't be read. */
function rootOrNone(content: Buffer): XmlElement | undefined {
  try {
    return kmlRoot(readText(content));
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/**
 * Refuses coordinates of another system, such as GCJ-02, in which a place is hundreds of metres away.
 * @param file that the message names before its text
 */
function expectWgs84(root: XmlElement | undefined, file = ''): void {
  if (!root) return;
  for (const element of elementsIn(root)) {
    const system = coordinateSystems.includes(element.name) ? textOf(element) : undefined;
    if (system !== undefined && system !== 'WGS84')
      throw atLine(element.line, `${file}wpml:${element.name} must be WGS84, not ${shown(system)}`);
  }
}

/**
 * A child of WPML; undefined when there is none.
 * @throws Refusal `invalid_request` when there are two, or when it is in a namespace that is not one of WPML
 */
function wpml(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  const child = childOf(parent, name, isWpml);
  const foreign = child ? undefined : parent?.children.find((each) => each.name === name);
  if (foreign)
    throw atLine(
      foreign.line,
      `${name} must be in a namespace of WPML, such as http://www.dji.com/wpmz/1.0.6, which "${foreign.namespace.slice(0, 64).toWellFormed()}" is not`,
    );
  return child;
}

/** The Folder whose Placemarks are waypoints. */
function waylineIn(root: XmlElement): XmlElement {
  const folders = (childOf(root, 'Document')?.children ?? []).filter(({ name }) => name === 'Folder');
  const mapping = folders.find((folder) => (textOf(wpml(folder, 'templateType')) ?? 'waypoint') !== 'waypoint');
  if (mapping)
    throw atLine(mapping.line, 'a mapping template has no waypoints before a drone has planned it: send waylines.wpml');
  const [wayline, ...others] = folders.filter((folder) => waypointsIn(folder).length > 0);
  if (!wayline) throw invalid('', 'the file has no wayline with waypoints');
  if (others.length > 0) throw invalid('', `the file has ${others.length + 1} waylines; a mission has one`);
  return wayline;
}

/** The Placemarks of a wayline that are waypoints, so points. */
const waypointsIn = (folder: XmlElement) =>
  folder.children.filter((child) => child.name === 'Placemark' && childOf(child, 'Point'));

/** The line of a wayline that is executed. */
function executed(folder: XmlElement): MissionLine {
  const reference = referenceIn(folder, 'executeHeightMode', executeHeightModes);
  return lineOf(folder, reference, (waypoint) => numberIn(waypoint, 'executeHeight'));
}

/** The line of a template. */
function planned(folder: XmlElement): MissionLine {
  const system = wpml(folder, 'waylineCoordinateSysParam');
  if (!system) throw atLine(folder.line, 'the Folder has no wpml:waylineCoordinateSysParam');
  const reference = referenceIn(system, 'heightMode', heightModes);
  // Found once: looked for at each waypoint, it would take the square of what the folder holds.
  const ofAll = wpml(folder, 'globalHeight');
  const heightOfAll = () => numberOf(ofAll, folder, 'globalHeight');
  return lineOf(folder, reference, (waypoint) => plannedHeight(waypoint, reference, heightOfAll));
}

/**
 * The height of a waypoint in a template: its own, or that of all, which WPML defines above the take-off point alone.
 * With another reference FlightHub 2 repeats that of all as the waypoint's own, above what `wpml:heightMode` says: if
 * both are equal, that is meant. The ellipsoid height beside its own says the same in another reference, so it is not
 * needed.
 */
function plannedHeight(waypoint: XmlElement, reference: HeightReference, heightOfAll: () => number): number {
  if (textOf(wpml(waypoint, 'useGlobalHeight')) !== '1') return numberIn(waypoint, 'height');
  if (reference === 'TAKE_OFF') return heightOfAll();
  const own = wpml(waypoint, 'height');
  if (own && numberAt(own.line, own.text.trim()) === heightOfAll()) return heightOfAll();
  throw atLine(waypoint.line, 'wpml:globalHeight is above the take-off point, which contradicts wpml:heightMode');
}

function referenceIn(
  parent: XmlElement,
  name: string,
  known: Readonly<Record<string, HeightReference>>,
): HeightReference {
  const mode = wpml(parent, name);
  const value = textOf(mode) ?? '';
  const reference = Object.hasOwn(known, value) ? known[value] : undefined;
  if (reference) return reference;
  throw atLine((mode ?? parent).line, `wpml:${name} must be one of ${Object.keys(known).join(', ')}`);
}

const numberIn = (parent: XmlElement, name: string): number => numberOf(wpml(parent, name), parent, name);

/** The number that a child is. @param element undefined when the parent has none */
function numberOf(element: XmlElement | undefined, parent: XmlElement, name: string): number {
  if (!element) throw atLine(parent.line, `the ${parent.name} has no wpml:${name}`);
  return numberAt(element.line, element.text.trim());
}

/** The waypoints of a wayline in the order of their `wpml:index`, which counts from 0 without a gap. */
function lineOf(
  folder: XmlElement,
  reference: HeightReference,
  heightOf: (waypoint: XmlElement) => number,
): MissionLine {
  const placemarks = waypointsIn(folder);
  if (placemarks.length > MAX_WAYPOINTS)
    throw atLine(folder.line, `a wayline must have at most ${MAX_WAYPOINTS} waypoints`);
  const ordered: (Waypoint | undefined)[] = placemarks.map(() => undefined);
  for (const placemark of placemarks) {
    const index = numberIn(placemark, 'index');
    if (!Number.isInteger(index) || index < 0 || index >= ordered.length)
      throw atLine(placemark.line, `wpml:index ${index} is not one of 0 to ${ordered.length - 1}`);
    if (ordered[index]) throw atLine(placemark.line, `wpml:index ${index} is given twice`);
    ordered[index] = [...placeOf(placemark), heightOf(placemark)];
  }
  // As many different indexes as places are all of them.
  return checkedLine(
    ordered.filter((waypoint) => waypoint !== undefined),
    reference,
  );
}

function placeOf(placemark: XmlElement): readonly [longitude: number, latitude: number] {
  const coordinates = childOf(childOf(placemark, 'Point'), 'coordinates');
  if (!coordinates) throw atLine(placemark.line, 'the Point has no coordinates');
  const [place, other] = tuplesIn(coordinates);
  if (!place || other) throw atLine(coordinates.line, `"${shown(coordinates.text.trim())}" must be longitude,latitude`);
  return [place.longitude, place.latitude];
}
