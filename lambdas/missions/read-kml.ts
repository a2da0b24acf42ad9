import {
  checkedLine,
  heightReferences,
  type HeightReference,
  type MissionLine,
  type Waypoint,
} from '../../domain/mission';
import { invalid } from '../../domain/refusal';
import { numberAt, tuplesIn } from './coordinates';
import { altitudeModes, GX_NAMESPACE, HEIGHT_REFERENCE, KML_NAMESPACE } from './kml-terms';
import { missionFile, nameIn, type MissionFile } from './mission-file';
import { readText, shown } from './read-text';
import { ancestorOf, atLine, elementsIn, readXml, textOf, type XmlElement } from './read-xml';

/** What the heights of each mode of KML are measured from, unless the file says more (OGC 07-147r2, 6.3 `altitudeMode`). */
const references: Readonly<Record<string, HeightReference>> = {
  clampToGround: 'JOB',
  relativeToGround: 'GROUND',
  absolute: 'SEA_LEVEL',
};

/** What a line may have that would change its heights or its shape, and is not flown. */
const notFlown = [
  ['altitudeMode', GX_NAMESPACE],
  ['seaFloorAltitudeMode', KML_NAMESPACE],
  ['altitudeOffset', GX_NAMESPACE],
  ['altitudeOffset', KML_NAMESPACE],
] as const;

/**
 * Reads a mission in KML 2.2 or 2.3: the one LineString of the document, wherever it stands; its name is that of its Placemark, or
 * else of the Document. Its `altitudeMode` says what heights are measured from. With `clampToGround`, which is the default, they are
 * ignored, as KML says. A `Data` named `heightReference` in the Placemark says it exactly; it must agree with the mode.
 *
 * Other shapes in the document, such as pins, are no part of the mission.
 * @throws Refusal `invalid_request` with a line of the file, or a waypoint
 */
export function readKml(content: Buffer): MissionFile {
  const root = kmlRoot(readText(content));
  const [track] = namedIn(root, 'Track', [KML_NAMESPACE, GX_NAMESPACE]);
  if (track) throw atLine(track.line, 'a Track is a flight that was recorded; a mission is a LineString');
  const [line, other] = namedIn(root, 'LineString');
  if (!line) throw invalid('', 'the document has no LineString');
  if (other) throw atLine(other.line, 'a second LineString: a mission is exactly one');
  const placemark = ancestorOf(line, ({ name, namespace }) => name === 'Placemark' && namespace === KML_NAMESPACE);
  const reference = referenceOf(line, placemark);
  return missionFile({
    line: lineOf(line, reference.is),
    name: nameIn(childOf(placemark, 'name')) ?? documentName(root),
    isReferenceNamed: reference.isNamed,
  });
}

/** The root of a KML document. @throws Refusal `invalid_request` */
export function kmlRoot(text: string): XmlElement {
  const root = readXml(text);
  if (root.name !== 'kml') throw atLine(root.line, `must be a kml element, not ${shown(root.name)}`);
  if (root.namespace !== KML_NAMESPACE)
    throw atLine(
      root.line,
      `kml must be in the namespace ${KML_NAMESPACE}, which "${root.namespace.slice(0, 64)}" is not`,
    );
  return root;
}

/** All elements with a name in the document, in order. */
const namedIn = (root: XmlElement, name: string, namespaces: readonly string[] = [KML_NAMESPACE]) =>
  [...elementsIn(root)].filter((element) => element.name === name && namespaces.includes(element.namespace));

/** The child with a name; undefined when there is none. @throws Refusal `invalid_request` when there are two */
export function childOf(
  parent: XmlElement | undefined,
  name: string,
  isNamespace: (namespace: string) => boolean = (namespace) => namespace === KML_NAMESPACE,
): XmlElement | undefined {
  const [child, other] = (parent?.children ?? []).filter((each) => each.name === name && isNamespace(each.namespace));
  if (other) throw atLine(other.line, `${name} must be given once`);
  return child;
}

const childText = (parent: XmlElement | undefined, name: string) => textOf(childOf(parent, name));

/** The name of the Document; undefined when it has none. @throws Refusal `invalid_request` with its line */
export const documentName = (root: XmlElement): string | undefined =>
  nameIn(childOf(childOf(root, 'Document'), 'name'));

function lineOf(line: XmlElement, reference: HeightReference): MissionLine {
  for (const [name, namespace] of notFlown) {
    const found = childOf(line, name, (each) => each === namespace);
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
  const byMode = Object.hasOwn(references, mode) ? references[mode] : undefined;
  if (!byMode) throw atLine(line.line, `altitudeMode must be one of ${Object.keys(references).join(', ')}`);
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
