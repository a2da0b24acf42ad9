import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

const WPML = 'http://www.dji.com/wpmz/1.0.6';
const KML = 'http://www.opengis.net/kml/2.2';

/** JSON as a file. */
export const jsonFile = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** A LineString in GeoJSON. */
export const lineString = (coordinates: unknown) => ({ type: 'LineString', coordinates });

/** A Feature in GeoJSON. */
export const feature = (geometry: unknown, properties: unknown = null) => ({ type: 'Feature', geometry, properties });

/** A KML document of two lines: the declaration, and all else. */
export const kmlFile = (inside: string, namespaces = `xmlns="${KML}" xmlns:gx="http://www.google.com/kml/ext/2.2"`) =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<kml ${namespaces}>${inside}</kml>`);

/** A KMZ of files by their names. */
export async function kmzFile(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content] of Object.entries(files)) archive.addBuffer(Buffer.from(content), name);
  archive.end();
  return buffer(archive.outputStream);
}

/** A document of WPML with what its Document holds. */
export const wpmlDocument = (inside: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="${KML}" xmlns:wpml="${WPML}">\n<Document>\n${inside}\n</Document>\n</kml>`;

/** A waypoint of WPML. @param inside its index and height */
export const placemark = (coordinates: string, inside: string) =>
  `<Placemark><Point><coordinates>\n${coordinates}\n</coordinates></Point>${inside}</Placemark>`;

/** A waypoint that is executed. */
export const executedAt = (index: number, coordinates: string, height: number) =>
  placemark(
    coordinates,
    `<wpml:index>${index}</wpml:index><wpml:executeHeight>${height}</wpml:executeHeight><wpml:actionGroup/>`,
  );

/** A wayline that is executed. */
export const wayline = (mode: string, ...waypoints: readonly string[]) =>
  `<Folder><wpml:executeHeightMode>${mode}</wpml:executeHeightMode>\n${waypoints.join('\n')}\n</Folder>`;

/** A waypoint of a template. */
export const plannedAt = (index: number, coordinates: string, inside: string) =>
  placemark(coordinates, `<wpml:index>${index}</wpml:index>${inside}`);

/** A template. */
export const template = (mode: string, inside: string, type = 'waypoint') =>
  `<Folder><wpml:templateType>${type}</wpml:templateType><wpml:waylineCoordinateSysParam>
<wpml:heightMode>${mode}</wpml:heightMode></wpml:waylineCoordinateSysParam>${inside}</Folder>`;

/** An item of a plan. */
export const item = (command: number, frame: number, params: readonly unknown[]) => ({
  type: 'SimpleItem',
  autoContinue: true,
  command,
  frame,
  params: [0, 0, 0, null, ...params],
});

/** A plan of QGroundControl. */
export const planFile = (items: readonly unknown[], others: object = {}) =>
  jsonFile({
    fileType: 'Plan',
    groundStation: 'QGroundControl',
    version: 1,
    geoFence: { circles: [], polygons: [], version: 2 },
    rallyPoints: { points: [], version: 2 },
    ...others,
    mission: { version: 2, firmwareType: 12, items, plannedHomePosition: [47.37, 8.54, 408] },
  });
