import {
  checkedLine,
  heightReferences,
  type HeightReference,
  type MissionLine,
  type Waypoint,
} from '../../domain/missions/mission';
import { invalid } from '../../domain/values/refusal';
import { numberAt, tuplesIn } from './coordinates';
import { altitudeModes, GX_NAMESPACE, HEIGHT_REFERENCE, isKml, KML_NAMESPACE, referenceOfMode } from './kml-terms';
import { missionFile, nameIn, type FoundName, type MissionFile } from './mission-file';
import { readText, shown } from './read-text';
import { ancestorOf, atLine, elementsIn, readXml, textOf, type XmlElement } from './read-xml';

const isGx = (namespace: string) => namespace === GX_NAMESPACE;

/** What a line may have that would change its heights or its shape, and is not flown. */
const notFlown = [
  ['altitudeMode', isGx],
  ['seaFloorAltitudeMode', isKml],
  ['altitudeOffset', isGx],
  ['altitudeOffset', isKml],
] as const;

/** Elements of the missions that DJI Pilot and FlightHub wrote before WPML. */
const DJI_NAMESPACE = 'www.dji.com';

/**
 * Reads a mission in KML 2.2 or 2.3, or in 2.1 of Google: the one LineString of the document, wherever it stands; its
 * name is that of its Placemark, or else of the Document. Its `altitudeMode` says what heights are measured from. With
 * `clampToGround`, which is the default, they are ignored, as KML says. A `Data` named `heightReference` in the
 * Placemark says it exactly; it must agree with the mode.
 *
 * Other shapes in the document, such as pins, are no part of the mission.
 * @param isNamed whether the name in the file is not looked at
 * @throws Refusal `invalid_request` with a line of the file, or a waypoint
 */
export function readKml(content: Buffer, isNamed: boolean): MissionFile {
  const root = kmlRoot(readText(content));
  expectNoFormerMission(root);
  const [track] = namedIn(root, 'Track', (namespace) => isKml(namespace) || isGx(namespace));
  if (track) throw atLine(track.line, 'a Track is a flight that was recorded; a mission is a LineString');
  const [line, other] = namedIn(root, 'LineString');
  if (!line) throw invalid('', 'the document has no LineString');
  if (other) throw atLine(other.line, 'a second LineString: a mission is exactly one');
  const placemark = ancestorOf(line, ({ name, namespace }) => name === 'Placemark' && isKml(namespace));
  const reference = referenceOf(line, placemark);
  const name = nameIn(childOf(placemark, 'name')) ?? documentName(root);
  return missionFile({ line: lineOf(line, reference.is), name, isReferenceNamed: reference.isNamed }, isNamed);
}

/** Refuses a mission of DJI in KML: its heights are above the take-off point, which no `altitudeMode` says. */
function expectNoFormerMission(root: XmlElement): void {
  for (const { line, namespace } of elementsIn(root))
    if (namespace === DJI_NAMESPACE)
      throw atLine(
        line,
        'is a mission of DJI in KML, whose heights it does not explain: export it as a KMZ with wpmz/',
      );
}

/** The root of a KML document. @throws Refusal `invalid_request` */
export function kmlRoot(text: string): XmlElement {
  const root = readXml(text);
  if (root.name !== 'kml') throw atLine(root.line, `must be a kml element, not ${shown(root.name)}`);
  if (!isKml(root.namespace))
    throw atLine(
      root.line,
      `kml must be in the namespace ${KML_NAMESPACE}, which "${root.namespace.slice(0, 64)}" is not`,
    );
  return root;
}

/** All elements with a name in the document, in order. */
const namedIn = (root: XmlElement, name: string, isNamespace = isKml) =>
  [...elementsIn(root)].filter((element) => element.name === name && isNamespace(element.namespace));

/** The child with a name; undefined when there is none. @throws Refusal `invalid_request` when there are two */
export function childOf(parent: XmlElement | undefined, name: string, isNamespace = isKml): XmlElement | undefined {
  const [child, other] = (parent?.children ?? []).filter((each) => each.name === name && isNamespace(each.namespace));
  if (other) throw atLine(other.line, `${name} must be given once`);
  return child;
}

const childText = (parent: XmlElement | undefined, name: string) => textOf(childOf(parent, name));

/** The name of the Document; undefined when it has none. @throws Refusal `invalid_request` when it has two */
export const documentName = (root: XmlElement): FoundName | undefined =>
  nameIn(childOf(childOf(root, 'Document'), 'name'));

function lineOf(line: XmlElement, reference: HeightReference): MissionLine {
  for (const [name, isNamespace] of notFlown) {
    const found = childOf(line, name, isNamespace);
    if (found && !isZero(found)) throw atLine(found.line, `${name} "${shown(found.text.trim())}" can't be flown`);
  }
  const coordinates = childOf(line, 'coordinates');
  if (!coordinates) throw atLine(line.line, 'the LineString has no coordinates');
  const waypoints = tuplesIn(coordinates).map(({ longitude, latitude, height }): Waypoint =>
    height === undefined || reference === 'JOB' ? [longitude, latitude] : [longitude, latitude, height],
  );
  return checkedLine(waypoints, reference);
}

/** An offset of zero changes nothing. */
const isZero = ({ name, line, text }: XmlElement) => name === 'altitudeOffset' && numberAt(line, text.trim()) === 0;

/** What the heights of a line are measured from: what the Placemark says exactly (`isNamed`), or else what the mode means. */
function referenceOf(
  line: XmlElement,
  placemark: XmlElement | undefined,
): { readonly is: HeightReference; readonly isNamed: boolean } {
  const mode = childText(line, 'altitudeMode') ?? 'clampToGround';
  const byMode = Object.hasOwn(referenceOfMode, mode) ? referenceOfMode[mode] : undefined;
  if (!byMode) throw atLine(line.line, `altitudeMode must be one of ${Object.keys(referenceOfMode).join(', ')}`);
  // GDAL writes attributes as SimpleData in SchemaData (OGC 12-007r2, 9.2).
  const data = (childOf(placemark, 'ExtendedData')?.children ?? []).flatMap((one) =>
    one.name === 'SchemaData' ? one.children : [one],
  );
  const [exact, other] = data.filter(
    ({ name, attributes }) => ['Data', 'SimpleData'].includes(name) && attributes['name'] === HEIGHT_REFERENCE,
  );
  if (other) throw atLine(other.line, `${HEIGHT_REFERENCE} must be given once`);
  if (!exact) return { is: byMode, isNamed: false };
  const value = exact.name === 'Data' ? childText(exact, 'value') : exact.text.trim();
  const is = heightReferences.find((each) => each === value);
  if (!is) throw atLine(exact.line, `${HEIGHT_REFERENCE} must be one of ${heightReferences.join(', ')}`);
  if (altitudeModes[is] !== mode)
    throw atLine(exact.line, `${HEIGHT_REFERENCE} ${is} contradicts the altitudeMode ${mode}`);
  return { is, isNamed: true };
}
