import { formatMediaTypes, type MissionMediaType } from '../../../domain/missions/mission-record';
import { Refusal } from '../../../domain/values/refusal';
import { readMission } from '../../../lambdas/missions/read-mission';
import { jsonFile, kmzFile } from './files';

/*
 * Files as other programs write them: each has the structure of a real export that was looked at (public repositories,
 * in November 2026), with places and numbers of our own. No file of others is in this repository, since most have no
 * licence.
 */

const { GEOJSON, KML, WPML, QGC_PLAN } = formatMediaTypes;

/** What a file becomes: a mission of so many waypoints, whose heights are measured from there; or a refusal. */
type Outcome =
  | readonly [waypoints: number, heightReference: string, name?: string]
  | { readonly path: string; readonly message: string };

export type ExportedFile = readonly [
  program: string,
  shows: string,
  mediaType: MissionMediaType,
  content: () => Buffer | Promise<Buffer>,
  outcome: Outcome,
];

const text = (content: string) => () => Buffer.from(content);

/** The description of the flight, which both files of WPML have. */
const missionConfig = `<wpml:missionConfig>
      <wpml:flyToWaylineMode>safely</wpml:flyToWaylineMode><wpml:finishAction>goHome</wpml:finishAction>
      <wpml:exitOnRCLost>goContinue</wpml:exitOnRCLost><wpml:executeRCLostAction>goBack</wpml:executeRCLostAction>
      <wpml:takeOffSecurityHeight>20</wpml:takeOffSecurityHeight>
      <wpml:takeOffRefPoint>47.376900,8.541700,455.200000</wpml:takeOffRefPoint>
      <wpml:takeOffRefPointAGLHeight>0</wpml:takeOffRefPointAGLHeight>
      <wpml:globalTransitionalSpeed>15</wpml:globalTransitionalSpeed>
      <wpml:droneInfo><wpml:droneEnumValue>91</wpml:droneEnumValue><wpml:droneSubEnumValue>1</wpml:droneSubEnumValue></wpml:droneInfo>
      <wpml:payloadInfo><wpml:payloadEnumValue>81</wpml:payloadEnumValue><wpml:payloadPositionIndex>0</wpml:payloadPositionIndex></wpml:payloadInfo>
    </wpml:missionConfig>`;
const wpml = (version: string, inside: string) => `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:wpml="${version}">
  <Document>
    <wpml:author>Pilot</wpml:author><wpml:createTime>1745678345919</wpml:createTime><wpml:updateTime>1745678345919</wpml:updateTime>
    ${missionConfig}
    ${inside}
  </Document>
</kml>`;
const DJI = 'http://www.dji.com/wpmz/1.0.6';
const UAV = 'http://www.uav.com/wpmz/1.0.2';

/** What stands around the heights of a waypoint: its heading, its turn, and an action that moves the gimbal. */
const waypoint = (index: number, heights: string) => `<Placemark>
        <Point>
          <coordinates>
            8.54${index + 1}7,47.3769
          </coordinates>
        </Point>
        <wpml:index>${index}</wpml:index>
        ${heights}
        <wpml:waypointSpeed>10</wpml:waypointSpeed>
        <wpml:waypointHeadingParam><wpml:waypointHeadingMode>followWayline</wpml:waypointHeadingMode><wpml:waypointPoiPoint>0.000000,0.000000,0.000000</wpml:waypointPoiPoint></wpml:waypointHeadingParam>
        <wpml:waypointTurnParam><wpml:waypointTurnMode>toPointAndStopWithDiscontinuityCurvature</wpml:waypointTurnMode></wpml:waypointTurnParam>
        <wpml:actionGroup><wpml:actionGroupId>0</wpml:actionGroupId><wpml:action><wpml:actionId>0</wpml:actionId><wpml:actionActuatorFunc>gimbalRotate</wpml:actionActuatorFunc></wpml:action></wpml:actionGroup>
      </Placemark>`;
const executed = (mode: string, waypoints = 2) => `<Folder>
      <wpml:templateId>0</wpml:templateId>
      <wpml:executeHeightMode>${mode}</wpml:executeHeightMode>
      <wpml:waylineId>0</wpml:waylineId><wpml:distance>75.3</wpml:distance><wpml:duration>24.2</wpml:duration>
      <wpml:autoFlightSpeed>10</wpml:autoFlightSpeed>
      ${Array.from({ length: waypoints }, (_, index) => waypoint(index, `<wpml:executeHeight>${500 + index}.25</wpml:executeHeight>`)).join('\n')}
    </Folder>`;
const low = executed('relativeToStartPoint').replaceAll('>50', '>4');
const planned = (mode: string, inside: string, type = 'waypoint', system = 'WGS84') => `<Folder>
      <wpml:templateType>${type}</wpml:templateType><wpml:templateId>0</wpml:templateId>
      <wpml:waylineCoordinateSysParam>
        <wpml:coordinateMode>${system}</wpml:coordinateMode><wpml:heightMode>${mode}</wpml:heightMode>
      </wpml:waylineCoordinateSysParam>
      <wpml:autoFlightSpeed>10</wpml:autoFlightSpeed><wpml:globalHeight>20</wpml:globalHeight>
      ${inside}
    </Folder>`;
/** Waypoints at the height of all, which FlightHub 2 repeats, and with the same above the ellipsoid. */
const atHeightOfAll = [0, 1]
  .map((index) =>
    waypoint(
      index,
      '<wpml:ellipsoidHeight>475.34</wpml:ellipsoidHeight><wpml:height>20</wpml:height><wpml:useGlobalHeight>1</wpml:useGlobalHeight>',
    ),
  )
  .join('\n');
const ownHeights = atHeightOfAll.replaceAll('<wpml:useGlobalHeight>1<', '<wpml:useGlobalHeight>0<');
const area =
  '<Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>8,47,0</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>';
const wpmz =
  (template: string, waylines?: string, others: Readonly<Record<string, string>> = {}) =>
  () =>
    kmzFile({
      'wpmz/template.kml': template,
      ...(waylines !== undefined && { 'wpmz/waylines.wpml': waylines }),
      ...others,
    });

const dji: readonly ExportedFile[] = [
  [
    'DJI Pilot 2 (M4E)',
    'a route above sea level',
    WPML,
    wpmz(wpml(DJI, planned('EGM96', ownHeights)), wpml(DJI, executed('WGS84')), { 'wpmz/res/image/1.jpg': 'x' }),
    [2, 'ELLIPSOID'],
  ],
  [
    'DJI Pilot 2 (M3E)',
    'a route above the take-off point',
    WPML,
    wpmz(
      wpml('http://www.dji.com/wpmz/1.0.2', planned('relativeToStartPoint', atHeightOfAll)),
      wpml('http://www.dji.com/wpmz/1.0.2', low),
    ),
    [2, 'TAKE_OFF'],
  ],
  [
    'DJI Pilot 2',
    'an area, which a drone has planned',
    WPML,
    wpmz(wpml(DJI, planned('EGM96', area, 'mapping2d')), wpml(DJI, executed('WGS84', 9))),
    [9, 'ELLIPSOID'],
  ],
  [
    'DJI Pilot 2',
    'an oblique area',
    WPML,
    wpmz(wpml(DJI, planned('EGM96', area, 'mapping3d')), wpml(DJI, executed('WGS84').repeat(5))),
    { path: '', message: 'the file has 5 waylines; a mission has one' },
  ],
  [
    'DJI Pilot 2',
    'coordinates in the system of China',
    WPML,
    wpmz(wpml(DJI, planned('EGM96', ownHeights, 'waypoint', 'GCJ02')), wpml(DJI, executed('WGS84'))),
    { path: 'line 18', message: 'wpmz/template.kml: wpml:coordinateMode must be WGS84, not GCJ02' },
  ],
  [
    'DJI FlightHub 2',
    'a route above the ground',
    WPML,
    wpmz(wpml(DJI, planned('aboveGroundLevel', atHeightOfAll)), wpml(DJI, executed('WGS84'))),
    [2, 'ELLIPSOID'],
  ],
  [
    'DJI FlightHub 2',
    'a template alone',
    WPML,
    wpmz(wpml(DJI, planned('aboveGroundLevel', atHeightOfAll))),
    [2, 'GROUND'],
  ],
  [
    'DJI FlightHub 2',
    'a template of an area alone',
    WPML,
    wpmz(wpml(DJI, planned('aboveGroundLevel', area, 'mapping2d'))),
    {
      path: 'line 15',
      message: 'a mapping template has no waypoints before a drone has planned it: send waylines.wpml',
    },
  ],
  [
    'DJI Fly (RC 2)',
    'its own namespace, and a template without a route',
    WPML,
    wpmz(wpml(UAV, ''), wpml(UAV, low)),
    [2, 'TAKE_OFF'],
  ],
  [
    'DJI Pilot (before 2)',
    'KML whose heights only DJI explains',
    KML,
    text(`<?xml version="1.0" encoding="UTF-8"?>

<kml xmlns="http://www.opengis.net/kml/2.2">
  <Document xmlns="">
    <name>Roof</name>
    <open>1</open>
    <ExtendedData xmlns:mis="www.dji.com">
      <mis:type>Waypoint</mis:type>
      <mis:stationType>0</mis:stationType>
    </ExtendedData>
    <Folder><name>Waypoints</name><Placemark><name>Waypoint1</name><Point><altitudeMode>relativeToGround</altitudeMode><coordinates>8.5417,47.3769,40.0</coordinates></Point></Placemark></Folder>
    <Placemark><name>Wayline</name><LineString><tessellate>1</tessellate><altitudeMode>relativeToGround</altitudeMode><coordinates>8.5417,47.3769,40.0 8.5517,47.3769,40.0</coordinates></LineString></Placemark>
  </Document>
</kml>`),
    {
      path: 'line 8',
      message: 'is a mission of DJI in KML, whose heights it does not explain: export it as a KMZ with wpmz/',
    },
  ],
];

/** An item of QGroundControl from 4 on, which repeats how its altitude was entered. */
const item = (doJumpId: number, command: number, frame: number, params: readonly unknown[]) => ({
  ...(params[4] !== 0 && { AMSLAltAboveTerrain: null, Altitude: params[6], AltitudeMode: 1 }),
  autoContinue: true,
  command,
  doJumpId,
  frame,
  params,
  type: 'SimpleItem',
});
const flown = [
  item(1, 22, 3, [15, 0, 0, null, 47.3769, 8.5417, 50]),
  item(2, 16, 3, [0, 0, 0, null, 47.3774, 8.5432, 50]),
  item(3, 2000, 2, [0, 0, 1, 0, 0, 0, 0]),
  item(4, 16, 3, [0, 0, 0, null, 47.3781, 8.5445, 60]),
  item(5, 20, 2, [0, 0, 0, 0, 0, 0, 0]),
];
/** The same items as QGroundControl wrote them before 3.4, and as Mission Planner does. */
const former = flown.map(({ params, command, doJumpId, frame }) => ({
  autoContinue: true,
  command,
  coordinate: params.slice(4),
  doJumpId,
  frame,
  params: params.slice(0, 4),
  type: 'SimpleItem',
}));
const plan =
  (items: readonly unknown[], others: object = {}) =>
  () =>
    jsonFile({
      fileType: 'Plan',
      geoFence: { circles: [], polygons: [], version: 2 },
      groundStation: 'QGroundControl',
      mission: {
        cruiseSpeed: 15,
        firmwareType: 12,
        globalPlanAltitudeMode: 1,
        hoverSpeed: 5,
        items,
        plannedHomePosition: [47.3769, 8.5417, 408],
        vehicleType: 2,
        version: 2,
      },
      rallyPoints: { points: [], version: 2 },
      version: 1,
      ...others,
    });
const complex = (complexItemType: string) => ({
  TransectStyleComplexItem: { Items: flown, VisualTransectPoints: [[47.3769, 8.5417]], version: 1 },
  complexItemType,
  polygon: [[47.3769, 8.5417]],
  type: 'ComplexItem',
  version: 4,
});
const isComplex = 'is a ComplexItem, such as a survey: only simple items have waypoints';

const qgroundcontrol: readonly ExportedFile[] = [
  ['QGroundControl 4', 'a take-off, waypoints, a photo, and a return', QGC_PLAN, plan(flown), [3, 'TAKE_OFF']],
  [
    'QGroundControl 4',
    'a survey',
    QGC_PLAN,
    plan([flown[0], complex('survey'), flown[4]]),
    { path: 'mission.items.1', message: isComplex },
  ],
  [
    'QGroundControl 4',
    'a scan of a structure',
    QGC_PLAN,
    plan([flown[0], complex('StructureScan')]),
    { path: 'mission.items.1', message: isComplex },
  ],
  [
    'QGroundControl 4',
    'the landing of a plane',
    QGC_PLAN,
    plan([...flown.slice(0, 4), complex('fwLandingPattern')]),
    { path: 'mission.items.4', message: isComplex },
  ],
  [
    'QGroundControl 4',
    'a fence',
    QGC_PLAN,
    plan(flown, {
      geoFence: {
        circles: [{ circle: { center: [47.3769, 8.5417], radius: 300 }, inclusion: true, version: 1 }],
        polygons: [],
        version: 2,
      },
    }),
    { path: 'geoFence.circles', message: 'is not kept: remove the geofence' },
  ],
  [
    'QGroundControl 4',
    'rally points, and no fence',
    QGC_PLAN,
    plan(flown, { geoFence: null, rallyPoints: { points: [[47.377, 8.542, 50]], version: 2 } }),
    [3, 'TAKE_OFF'],
  ],
  [
    'QGroundControl 3.2',
    'items of four parameters, and an empty fence of version 1',
    QGC_PLAN,
    plan(former, { geoFence: { polygon: [], version: 1 }, rallyPoints: { points: [], version: 1 } }),
    [3, 'TAKE_OFF'],
  ],
  [
    'QGroundControl 3.2',
    'a fence of version 1',
    QGC_PLAN,
    plan(former, {
      geoFence: {
        polygon: [
          [47, 8],
          [47, 9],
          [48, 9],
        ],
        version: 1,
      },
    }),
    { path: 'geoFence.polygon', message: 'is not kept: remove the geofence' },
  ],
  [
    'QGroundControl 2',
    'a .mission file, before plans',
    QGC_PLAN,
    () =>
      jsonFile({
        MAV_AUTOPILOT: 12,
        complexItems: [],
        groundStation: 'QGroundControl',
        items: [
          {
            autoContinue: true,
            command: 16,
            coordinate: [47.3769, 8.5417, 25],
            frame: 3,
            id: 1,
            param1: 0,
            param2: 0,
            param3: 0,
            param4: 0,
            type: 'missionItem',
          },
        ],
        plannedHomePosition: [47.3769, 8.5417, 0],
        version: '1.0',
      }),
    { path: 'fileType', message: 'is required' },
  ],
  [
    'QGroundControl 4',
    'its KML, which has heights above sea level and a pin for each waypoint',
    KML,
    text(`<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2">
 <Document>
  <name>QGroundControl Plan KML</name>
  <open>1</open>
  <Style id="MissionLineStyle"><LineStyle><color>ff13a3be</color><width>4</width></LineStyle></Style>
  <Folder><name>Items</name><Placemark><name>1 Takeoff</name><Point><altitudeMode>absolute</altitudeMode><coordinates>8.5417000,47.3769000,458.00</coordinates><extrude>1</extrude></Point></Placemark></Folder>
  <Placemark>
   <styleUrl>#MissionLineStyle</styleUrl><name>Flight Path</name><visibility>1</visibility>
   <LookAt><latitude>47.3769</latitude><longitude>8.5417</longitude><altitude>408</altitude><heading>-100</heading><tilt>45</tilt><range>2500</range></LookAt>
   <LineString>
    <extruder>1</extruder><tessellate>1</tessellate><altitudeMode>absolute</altitudeMode>
    <coordinates>8.5417000,47.3769000,458.00
8.5432000,47.3774000,458.00
</coordinates>
   </LineString>
  </Placemark>
 </Document>
</kml>`),
    [2, 'SEA_LEVEL', 'Flight Path'],
  ],
  [
    'MAVSDK',
    'a camera without a place',
    QGC_PLAN,
    plan([item(1, 203, 2, [0, 0, 0, 0, 1, 0, 0])]),
    { path: 'waypoints', message: 'must have at least 2 elements, not 0' },
  ],
  [
    'MAVSDK',
    'a plan without a mission',
    QGC_PLAN,
    () =>
      jsonFile({
        fileType: 'Plan',
        geoFence: { polygon: [], version: 1 },
        groundStation: 'QGroundControl',
        version: 1,
      }),
    { path: 'mission', message: 'is required' },
  ],
  [
    'MAVSDK',
    'a mission of another version',
    QGC_PLAN,
    () =>
      jsonFile({
        fileType: 'Plan',
        geoFence: { polygon: [], version: 1 },
        mission: { items: flown, version: 42 },
        version: 1,
      }),
    { path: 'mission.version', message: 'must be 2' },
  ],
  [
    'Mission Planner',
    'a list of waypoints',
    QGC_PLAN,
    text(
      'QGC WPL 110\r\n0\t1\t0\t16\t0\t0\t0\t0\t47.376900\t8.541700\t408.000000\t1\r\n1\t0\t3\t16\t0.00000000\t0.00000000\t0.00000000\t0.00000000\t47.37740000\t8.54320000\t50.000000\t1\r\n',
    ),
    { path: '', message: 'is a list of waypoints (QGC WPL): open it in QGroundControl, and save it as a plan' },
  ],
  [
    'Mission Planner',
    'its JSON, in which the members of complex items are null',
    QGC_PLAN,
    plan(
      former.map((one) => ({ ...one, complexItemType: null, polygon: null, version: null })),
      { groundStation: 'MissionPlanner' },
    ),
    [3, 'TAKE_OFF'],
  ],
];

/** A document of Google Earth: its styles, and the folder of what was saved. */
const earth = (
  inside: string,
  namespaces = 'xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2" xmlns:kml="http://www.opengis.net/kml/2.2" xmlns:atom="http://www.w3.org/2005/Atom"',
) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<kml ${namespaces}>
<Document>
	<name>Roof.kml</name>
	<StyleMap id="inline"><Pair><key>normal</key><styleUrl>#inline0</styleUrl></Pair></StyleMap>
	<Style id="inline0"><LineStyle><color>ff0000ff</color><width>2</width></LineStyle></Style>
	${inside}
</Document>
</kml>
`;
const path = (mode: string, height: number) => `<Placemark>
		<name>Roof</name>
		<styleUrl>#inline</styleUrl>
		<LineString>
			<tessellate>1</tessellate>
			${mode}<coordinates>
				8.541700000000001,47.3769,${height} 8.543200000000001,47.3774,${height} 
			</coordinates>
		</LineString>
	</Placemark>`;
const tour =
  '<gx:Tour><name>Flight</name><gx:Playlist><gx:FlyTo><gx:duration>5</gx:duration><Camera><longitude>8.5</longitude><latitude>47.3</latitude><altitude>500</altitude><altitudeMode>absolute</altitudeMode></Camera></gx:FlyTo></gx:Playlist></gx:Tour>';

const google: readonly ExportedFile[] = [
  ['Google Earth Pro 7.3', 'a path on the ground', KML, text(earth(path('', 0))), [2, 'JOB', 'Roof']],
  [
    'Google Earth Pro 7.3',
    'a path above the ground',
    KML,
    text(earth(path('<altitudeMode>relativeToGround</altitudeMode>\n\t\t\t', 40))),
    [2, 'GROUND', 'Roof'],
  ],
  [
    'Google Earth Pro 7.3',
    'a path above sea level, with a tour',
    KML,
    text(earth(path('<altitudeMode>absolute</altitudeMode>\n\t\t\t', 450) + tour)),
    [2, 'SEA_LEVEL', 'Roof'],
  ],
  [
    'Google Earth Pro 7.3',
    'a path above the sea floor',
    KML,
    text(earth(path('<gx:altitudeMode>relativeToSeaFloor</gx:altitudeMode>\n\t\t\t', 40))),
    { path: 'line 12', message: 'altitudeMode "relativeToSeaFloor" can\'t be flown' },
  ],
  [
    'Google Earth Pro 7.3',
    'a tour alone',
    KML,
    text(earth(tour)),
    { path: '', message: 'the document has no LineString' },
  ],
  [
    'Google Earth Pro 7.3',
    'a KMZ',
    WPML,
    () => kmzFile({ 'doc.kml': earth(path('', 0)) }),
    {
      path: '',
      message: 'the archive has no wpmz/waylines.wpml: it is not of DJI; of one of Google Earth, send the KML inside',
    },
  ],
  [
    'Google Earth 4',
    'KML before it was a standard',
    KML,
    text(earth(path('<altitudeMode>absolute</altitudeMode>\n\t\t\t', 450), 'xmlns="http://earth.google.com/kml/2.1"')),
    [2, 'SEA_LEVEL', 'Roof'],
  ],
];

/** GeoJSON as GDAL 3 writes it, of which QGIS is the front. */
const gdal =
  (crs: string, type: string, coordinates: unknown, properties: object = { name: 'Roof', fid: 1 }) =>
  () =>
    jsonFile({
      type: 'FeatureCollection',
      name: 'roof',
      crs: { type: 'name', properties: { name: crs } },
      features: [{ type: 'Feature', properties, geometry: { type, coordinates } }],
    });
const flat = [
  [8.5417, 47.3769],
  [8.5432, 47.3774],
];
const high = flat.map((place) => [...place, 450]);
const CRS84 = 'urn:ogc:def:crs:OGC:1.3:CRS84';
/** KML as GDAL writes it: no mode, so that KML ignores the heights. */
const byGdal = (mode: string) => `<?xml version="1.0" encoding="utf-8" ?>
<kml xmlns="http://www.opengis.net/kml/2.2">
<Document id="root_doc">
<Schema name="roof" id="roof">
	<SimpleField name="fid" type="int"></SimpleField>
</Schema>
<Folder><name>roof</name>
  <Placemark>
	<name>Roof</name>
	<Style><LineStyle><color>ff0000ff</color></LineStyle><PolyStyle><fill>0</fill></PolyStyle></Style>
	<ExtendedData><SchemaData schemaUrl="#roof">
		<SimpleData name="fid">1</SimpleData>
	</SchemaData></ExtendedData>
      <LineString>${mode}<coordinates>8.5417,47.3769,450 8.5432,47.3774,450</coordinates></LineString>
  </Placemark>
</Folder>
</Document></kml>`;

const qgis: readonly ExportedFile[] = [
  ['QGIS 3', 'a line without heights', GEOJSON, gdal(CRS84, 'LineString', flat), [2, 'JOB', 'Roof']],
  ['QGIS 3', 'a layer of many lines with one', GEOJSON, gdal(CRS84, 'MultiLineString', [flat]), [2, 'JOB', 'Roof']],
  [
    'QGIS 3',
    'heights, for which it names another system',
    GEOJSON,
    gdal('urn:ogc:def:crs:EPSG::4979', 'LineString', high),
    [2, 'ELLIPSOID', 'Roof'],
  ],
  [
    'QGIS 3',
    'a line in metres',
    GEOJSON,
    gdal('urn:ogc:def:crs:EPSG::2056', 'LineString', [
      [2_680_270.55, 1_239_333.17],
      [2_681_011.61, 1_240_455.14],
    ]),
    { path: 'crs', message: 'must be WGS 84 (OGC:CRS84 or EPSG:4326), not urn:ogc:def:crs:EPSG::2056' },
  ],
  [
    'QGIS 3',
    'a layer of KML, whose elements are properties',
    GEOJSON,
    gdal(CRS84, 'LineString', high, {
      Name: 'Roof',
      altitudeMode: 'absolute',
      tessellate: -1,
      extrude: 0,
      visibility: -1,
      drawOrder: null,
    }),
    [2, 'SEA_LEVEL'],
  ],
  ['QGIS 3', 'KML without a mode', KML, text(byGdal('')), [2, 'JOB', 'Roof']],
  [
    'QGIS 3',
    'KML with the mode that was chosen',
    KML,
    text(byGdal('<altitudeMode>absolute</altitudeMode>')),
    [2, 'SEA_LEVEL', 'Roof'],
  ],
];

/** Files of other programs, and what each becomes. */
export const exportedFiles: readonly ExportedFile[] = [...dji, ...qgroundcontrol, ...google, ...qgis];

/** What a file becomes now. */
export async function becomes(content: Buffer, mediaType: MissionMediaType): Promise<unknown> {
  try {
    const { line, name } = await readMission(content, mediaType);
    return [line.waypoints.length, line.heightReference, ...(name === undefined ? [] : [name])];
  } catch (error) {
    if (error instanceof Refusal) return error.details[0];
    throw error;
  }
}
