import {
  checkedLine,
  MAX_WAYPOINTS,
  type HeightReference,
  type MissionLine,
  type Waypoint,
} from '../../domain/mission';
import { invalid } from '../../domain/refusal';
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

/** What names the system of the coordinates: `wpml:coordinateMode` in DJI's description, `wpml:coordinateSysType` in files of others. */
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
 * Only the line is read. What a drone does at its waypoints and between them is not: actions, speeds, headings, the gimbal, how it
 * turns, and what it does before and after. Nor is a height in `coordinates`, where WPML has none.
 * @throws Refusal `invalid_request` with a line of that file, or a waypoint
 */
export async function readWpml(content: Buffer): Promise<MissionFile> {
  const file = await readFromKmz(content, [WAYLINES, TEMPLATE]);
  if (!file) throw invalid('', `the archive has no ${WAYLINES}`);
  const root = kmlRoot(readText(file.content));
  expectWgs84(root);
  const folder = waylineIn(root);
  const line = file.name === WAYLINES ? executed(folder) : planned(folder);
  return missionFile({ line, name: documentName(root), isReferenceNamed: false });
}

/** Refuses coordinates of another system, such as GCJ-02, in which a place is hundreds of metres away. */
function expectWgs84(root: XmlElement): void {
  for (const element of elementsIn(root)) {
    const system = coordinateSystems.includes(element.name) ? textOf(element) : undefined;
    if (system !== undefined && system !== 'WGS84')
      throw atLine(element.line, `wpml:${element.name} must be WGS84, not ${shown(system)}`);
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
 * The height of a waypoint in a template: its own, or that of all, which WPML defines above the take-off point alone. The ellipsoid
 * height beside its own says the same in another reference, so it is not needed.
 */
function plannedHeight(waypoint: XmlElement, reference: HeightReference, heightOfAll: () => number): number {
  if (textOf(wpml(waypoint, 'useGlobalHeight')) !== '1') return numberIn(waypoint, 'height');
  if (reference === 'TAKE_OFF') return heightOfAll();
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
