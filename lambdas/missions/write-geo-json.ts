import type { MissionLine } from '../../domain/missions/mission';

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
