import { toXml } from 'xast-util-to-xml';
import { x } from 'xastscript';
import { xmlText } from '../runtime/xml-text';
import { altitudeModes, HEIGHT_REFERENCE, KML_NAMESPACE } from './kml-terms';
import type { MissionLine } from '../../domain/missions/mission';

/**
 * A mission in KML 2.2, as `readMission` reads it again: a Placemark with its name and its line. KML can't say each of
 * the service's height references, so the exact one stands in the extended data.
 */
export function writeKml({ waypoints, heightReference }: MissionLine, { name }: { readonly name: string }): string {
  const document = x('kml', { xmlns: KML_NAMESPACE }, [
    x('Document', [
      x('name', xmlText(name)),
      x('Placemark', [
        x('name', xmlText(name)),
        x('ExtendedData', [x('Data', { name: HEIGHT_REFERENCE }, [x('value', heightReference)])]),
        x('LineString', [
          // Without it, a viewer draws each leg straight through the hills (OGC 07-147r2, `tessellate`).
          ...(heightReference === 'JOB' ? [x('tessellate', '1')] : []),
          x('altitudeMode', altitudeModes[heightReference]),
          x('coordinates', waypoints.map((waypoint) => waypoint.map(decimal).join(',')).join(' ')),
        ]),
      ]),
    ]),
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${toXml(document)}`;
}

/** A number without an exponent, which not every reader of coordinates knows: `0.0000001`, where JavaScript writes `1e-7`. */
const decimal = (value = 0) => (Math.abs(value) < 1e-6 ? value.toFixed(7).replace(/\.?0+$/, '') : String(value));

/**
 * A mission in GeoJSON (RFC 7946), as `readMission` reads it again.
 * @param properties what else its Feature says, such as `name`
 */
export const writeGeoJson = <Properties extends object>(
  { waypoints, heightReference }: MissionLine,
  properties: Properties,
) => ({
  type: 'Feature' as const,
  geometry: {
    type: 'LineString' as const,
    coordinates: waypoints.map(([longitude, latitude, height]) =>
      height === undefined ? [longitude, latitude] : [longitude, latitude, height],
    ),
  },
  properties: { ...properties, heightReference },
});
