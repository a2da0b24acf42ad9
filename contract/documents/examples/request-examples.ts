import type { EndpointKey } from '../../endpoints';
import { exampleValue } from '../fields';

export interface NamedExample {
  readonly summary: string;
  readonly value: unknown;
}

const deviceGroupId = exampleValue('deviceGroupId');
const resourceId = exampleValue('resourceId');
const grant_type = 'client_credentials';

/** A waypoint of a plan: MAV_CMD_NAV_WAYPOINT, above the take-off point (QGroundControl, "Plan File Format"). */
const planItem = (doJumpId: number, [latitude, longitude, height]: readonly [number, number, number]) => ({
  type: 'SimpleItem',
  autoContinue: true,
  command: 16,
  doJumpId,
  frame: 3,
  params: [0, 0, 0, null, latitude, longitude, height],
});

/** Examples of request bodies beyond the one with every field, which is composed from the examples of the fields. */
export const requestExamples: Partial<Record<EndpointKey, Readonly<Record<string, NamedExample>>>> = {
  'POST /v3/jobs/create': {
    minimal: { summary: 'Only what is required', value: { name: 'First flight', deviceGroupId } },
    place: {
      summary: 'Circle a place for two minutes, 40 metres above the take-off point',
      value: {
        name: 'Alarm at the north gate',
        deviceGroupId,
        desiredLocation: { type: 'Point', coordinates: [8.5417, 47.3769] },
        actionOnArrival: 'ORBIT',
        flight: { height: 40, orbitRadius: 30, holdSeconds: 120 },
      },
    },
  },
  'POST /v3/jobs/dispatch': {
    alarm: {
      summary: 'An alarm: whoever is there first, within five minutes',
      value: {
        name: 'Alarm at the north gate',
        desiredLocation: { type: 'Point', coordinates: [8.5417, 47.3769] },
        maxEtaSeconds: 300,
      },
    },
  },
  'POST /v3/jobs/check': {
    place: {
      summary: 'Can a device of the group fly to this place?',
      value: {
        name: 'Look at the gate',
        deviceGroupId,
        desiredLocation: { type: 'Point', coordinates: [8.5417, 47.3769] },
      },
    },
  },
  'POST /v3/devices/{deviceId}/commands': {
    pause: { summary: 'Stop and hover', value: { name: 'PAUSE' } },
    resume: { summary: 'Go on', value: { name: 'RESUME' } },
    returnHome: { summary: 'Return and land, within ten minutes', value: { name: 'RETURN_HOME', timeoutSeconds: 600 } },
    land: { summary: 'Land where the drone is', value: { name: 'LAND' } },
    goTo: {
      summary: 'Fly to a place, 60 metres above the take-off point',
      value: {
        name: 'GO_TO',
        position: { type: 'Point', coordinates: [8.5417, 47.3769] },
        height: 60,
        speed: 12,
      },
    },
    orbit: {
      summary: 'Circle around a place',
      value: { name: 'ORBIT', position: { type: 'Point', coordinates: [8.5417, 47.3769] }, radius: 30 },
    },
    lookAt: {
      summary: 'Turn the camera to a place',
      value: { name: 'LOOK_AT', position: { type: 'Point', coordinates: [8.5417, 47.3769] } },
    },
    gimbal: { summary: 'Turn the camera', value: { name: 'GIMBAL', pitch: -30, yaw: 90 } },
    takePhoto: { summary: 'Take a photo', value: { name: 'TAKE_PHOTO' } },
    startRecording: { summary: 'Begin to record video', value: { name: 'START_RECORDING' } },
    stopRecording: { summary: 'End the recording', value: { name: 'STOP_RECORDING' } },
    own: { summary: 'A command of the drone platform’s own', value: { name: 'x-spotlight', brightness: 80 } },
  },
  'PATCH /v3/jobs/{jobId}': {
    rename: { summary: 'Another name and priority', value: { name: 'Rim inspection, second try', priority: 8 } },
    replaceMetadata: { summary: 'Replace all metadata', value: { metadata: { site: 'south' } } },
    cancel: { summary: 'Cancel the job', value: { status: 'CANCELLED' } },
  },
  'POST /v3/streams/share': {
    statusOnly: { summary: 'Position and status for an hour', value: { resourceId, shareType: 'DEVICE_STATUS' } },
    control: {
      summary: 'Video for one viewer who may send commands, for ten minutes',
      value: { resourceId, shareType: 'STREAM', permissions: ['view', 'control'], expiresIn: 600, maxViewers: 1 },
    },
  },
};

const place = { type: 'LineString', coordinates: exampleValue('waypoints') };
const properties = { name: 'Along the fence', heightReference: 'TAKE_OFF' };

/** A mission in KML. */
export const kmlExample = [
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Along the fence</name><Placemark><LineString>',
  '<altitudeMode>relativeToGround</altitudeMode>',
  '<coordinates>8.5417,47.3769,40 8.5432,47.3774,40</coordinates>',
  '</LineString></Placemark></Document></kml>',
].join('\n');

/** Files by their media type. */
const files: Readonly<Record<string, Readonly<Record<string, NamedExample>>>> = {
  'application/geo+json': {
    line: {
      summary: 'Two waypoints, 40 m above the take-off point',
      value: { type: 'Feature', geometry: place, properties },
    },
  },
  'application/vnd.google-earth.kml+xml': {
    kml: {
      summary: 'The same, above the ground',
      value: kmlExample,
    },
  },
  'application/json': {
    plan: {
      summary: 'A plan of QGroundControl',
      value: {
        fileType: 'Plan',
        version: 1,
        groundStation: 'QGroundControl',
        geoFence: { circles: [], polygons: [], version: 2 },
        rallyPoints: { points: [], version: 2 },
        mission: {
          version: 2,
          firmwareType: 12,
          vehicleType: 2,
          cruiseSpeed: 15,
          hoverSpeed: 5,
          plannedHomePosition: [47.3769, 8.5417, 408],
          items: [planItem(1, [47.3769, 8.5417, 40]), planItem(2, [47.3774, 8.5432, 40])],
        },
      },
    },
  },
};

/** Examples of files, by the endpoint that takes them. */
export const fileExamples: Partial<Record<EndpointKey, typeof files>> = {
  'POST /v3/missions': files,
  'PUT /v3/missions/{missionId}': files,
};

/** Examples of a token request whose credentials HTTP Basic carries. */
export const basicExample: NamedExample = { summary: 'Credentials by HTTP Basic', value: { grant_type } };
