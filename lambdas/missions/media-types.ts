/** The media types of mission files: GeoJSON (RFC 7946), KML and KMZ (OGC 07-147), a plan of QGroundControl. */
export const missionMediaTypes = {
  geoJson: 'application/geo+json',
  kml: 'application/vnd.google-earth.kml+xml',
  kmz: 'application/vnd.google-earth.kmz',
  plan: 'application/json',
} as const;
export type MissionMediaType = (typeof missionMediaTypes)[keyof typeof missionMediaTypes];
