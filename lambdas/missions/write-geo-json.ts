import type { HeightReference, MissionLine } from '../../domain/mission';

/** A mission in GeoJSON. */
export interface MissionFeature {
  readonly type: 'Feature';
  readonly geometry: { readonly type: 'LineString'; readonly coordinates: MissionLine['waypoints'] };
  readonly properties: Readonly<Record<string, unknown>> & { readonly heightReference: HeightReference };
}

/**
 * A mission in GeoJSON (RFC 7946), as `readMission` reads it again.
 * @param properties what else its Feature says, such as `name`
 */
export const missionGeoJson = (
  { waypoints, heightReference }: MissionLine,
  properties: Record<string, unknown>,
): MissionFeature => ({
  type: 'Feature',
  geometry: { type: 'LineString', coordinates: waypoints },
  properties: { ...properties, heightReference },
});
