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
import { atLine, textOf, type XmlElement } from './read-xml';

/** What a drone executes, and what a person edits; from the second the first is made. */
const WAYLINES = 'wpmz/waylines.wpml';
const TEMPLATE = 'wpmz/template.kml';

/** Any version of WPML: that of DJI's enterprise drones, and that of the files of DJI Fly. */
const isWpml = (namespace: string) => /^http:\/\/www\.(dji|uav)\.com\/wpmz\/1\.0\.\d+$/.test(namespace);

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
  const folder = waylineIn(root);
  return missionFile(file.name === WAYLINES ? executed(folder) : planned(folder), documentName(root));
}

const wpml = (parent: XmlElement | undefined, name: string) => childOf(parent, name, isWpml);

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
  return lineOf(folder, reference, (waypoint) => plannedHeight(folder, waypoint, reference));
}

/**
 * The height of a waypoint in a template: its own, or that of all, which WPML defines above the take-off point alone. The ellipsoid
 * height beside its own says the same in another reference, so it is not needed.
 */
function plannedHeight(folder: XmlElement, waypoint: XmlElement, reference: HeightReference): number {
  if (textOf(wpml(waypoint, 'useGlobalHeight')) !== '1') return numberIn(waypoint, 'height');
  if (reference === 'TAKE_OFF') return numberIn(folder, 'globalHeight');
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

function numberIn(parent: XmlElement, name: string): number {
  const element = wpml(parent, name);
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
