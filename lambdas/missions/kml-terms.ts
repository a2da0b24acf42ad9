import type { HeightReference } from '../../domain/mission';

/** The namespace of KML 2.2 and 2.3 (OGC 07-147r2, OGC 12-007r2), and that of Google's extensions. */
export const KML_NAMESPACE = 'http://www.opengis.net/kml/2.2';
export const GX_NAMESPACE = 'http://www.google.com/kml/ext/2.2';

/** The name of the `Data` that says of a Placemark what its heights are measured from; KML has less modes than the service. */
export const HEIGHT_REFERENCE = 'heightReference';

/** How a viewer of KML shows each reference best. `JOB` has no heights to show. */
export const altitudeModes: Readonly<Record<HeightReference, string>> = {
  TAKE_OFF: 'relativeToGround',
  GROUND: 'relativeToGround',
  SEA_LEVEL: 'absolute',
  ELLIPSOID: 'absolute',
  JOB: 'clampToGround',
};
