import type { HeightReference } from '../../domain/missions/mission';

/** The namespace of KML 2.2 and 2.3 (OGC 07-147r2, OGC 12-007r2), and that of Google's extensions. */
export const KML_NAMESPACE = 'http://www.opengis.net/kml/2.2';
export const GX_NAMESPACE = 'http://www.google.com/kml/ext/2.2';

/**
 * The namespaces in which lines are read: also what Google Earth wrote before KML was a standard, where a line and its
 * heights mean the same.
 */
const readNamespaces = [KML_NAMESPACE, 'http://earth.google.com/kml/2.1', 'http://earth.google.com/kml/2.2'];

export const isKml = (namespace: string): boolean => readNamespaces.includes(namespace);

/** The name of the `Data` that says of a Placemark what its heights are measured from; KML has less modes than the service. */
export const HEIGHT_REFERENCE = 'heightReference';

/** What the heights of each mode of KML are measured from, unless the file says more (OGC 07-147r2, 6.3 `altitudeMode`). */
export const referenceOfMode: Readonly<Record<string, HeightReference>> = {
  clampToGround: 'JOB',
  relativeToGround: 'GROUND',
  absolute: 'SEA_LEVEL',
};

/** How a viewer of KML shows each reference best. `JOB` has no heights to show. */
export const altitudeModes: Readonly<Record<HeightReference, string>> = {
  TAKE_OFF: 'relativeToGround',
  GROUND: 'relativeToGround',
  SEA_LEVEL: 'absolute',
  ELLIPSOID: 'absolute',
  JOB: 'clampToGround',
};
