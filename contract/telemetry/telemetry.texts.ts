import { MAX_TRACK_POINTS } from './max-track-points';
import type { Field, Fields, Objects } from '../terms/field';
import { MAX_ROUTE_POINTS } from '../../domain/shares/route';
import { flownStatusesInWords } from '../jobs/lifecycle-sentences';

const receivedAt: Field = {
  description: 'When this service received the report. ISO 8601 in UTC.',
  examples: ['2026-11-27T10:30:15.208Z'],
  format: 'date-time',
};
const timeAsSequence: Field = {
  description: 'The `timestamp` in Unix milliseconds, so more than 32 bits.',
  examples: [1795775415123],
  format: 'int64',
  minimum: 0,
};
const groupOfSubscription: Field = {
  description: 'A device group of your organisation, which stands for all of its devices. Either this or `deviceId`.',
};
const deviceOfSubscription: Field = { description: 'A device of your organisation. Either this or `deviceGroupId`.' };
const groupOfReply: Field = { description: 'The group, if the message named one.' };
const deviceOfReply: Field = { description: 'The device, if the message named one.' };

const dockStates = ['OPEN', 'CLOSED', 'OPENING', 'CLOSING', 'COOLING', 'CHARGING', 'TASK_INPROGRESS'];
const droneStates = ['MANUAL', 'GPS_NORMAL', 'WAYPOINT', 'HOVER', 'ORBIT', 'LANDED', 'DOCKED', 'RETURNING'];
const listed = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ');

/** Fields of telemetry. */
export const telemetryFields: Fields = {
  accepted: {
    description:
      'How many of the samples were new: later than the last one of their device, or with a position that was not in the record of a flight.',
    examples: [1],
    minimum: 0,
  },
  'PublishedMessage.recorded': {
    description: 'How many of them have a position that is new in the record of the job’s or of the device’s flight.',
    examples: [1],
    minimum: 0,
  },
  refused: { description: 'What is wrong with the samples that are not accepted. Left out when all are.' },
  index: { description: 'The place of the sample in the list, from 0.', examples: [2], minimum: 0 },
  'RefusedSample.path': {
    description: 'The faulty field as a path such as `telemetry.2.battery.percent`.',
    examples: ['telemetry.2.timestamp'],
  },
  warnings: { description: 'What to know of samples that are accepted. Left out when there is nothing.' },
  'PublishWarning.code': {
    description:
      'What it is about. `clock_differs`: for a minute, the newest sample of each message of this device was as many seconds behind.',
    examples: ['clock_differs'],
  },
  seconds: {
    description:
      'By how many seconds the clock of the device is behind the service’s, to a tenth; negative when it is ahead. Samples that always take that long to arrive look the same.',
    examples: [45.2],
  },
  'RefusedSample.message': { description: 'What is wrong.', examples: ['is more than 60 seconds in the future'] },
  age: {
    description:
      'Seconds from the device’s last report, by its `timestamp`, to when this service sent the message, to a tenth. Present with `snapshot`; left out of the state of a device that never reported.',
    examples: [0.4],
    minimum: 0,
  },
  altitude: { description: 'Metres above mean sea level.', examples: [443.2] },
  battery: { description: 'State of the battery.' },
  camera: { description: 'The camera.' },
  coordinates: {
    description:
      'Longitude (-180 to 180) and latitude (-90 to 90) in degrees, then altitude in metres above mean sea level (-500 to 20000): three numbers in this order, as in GeoJSON.',
    examples: [[8.5417, 47.3769, 485.5]],
  },
  deviceName: { description: 'Name of the shared device.', examples: ['Kestrel 1'] },
  dockState: {
    description: `What the dock does. Known values: ${listed(dockStates)}. Others may appear: accept them.`,
    known: dockStates,
    examples: ['OPEN'],
  },
  droneState: {
    description: `What the drone does. Known values: ${listed(droneStates)}. Others may appear: accept them.`,
    known: droneStates,
    examples: ['WAYPOINT'],
  },
  groundSpeed: { description: 'Speed over ground in metres per second, 0 to 200.', examples: [12.5] },
  heading: { description: 'Degrees clockwise from true north, 0 to 360.', examples: [270.5] },
  humidity: { description: 'Relative humidity in percent, 0 to 100.', examples: [61] },
  jobName: {
    description: 'Name of the job that the last sample of the device names. Left out when there is none.',
    examples: ['Roof survey'],
  },
  measuredBefore: {
    description:
      'What was measured before `timestamp`, and by how many seconds, to a thousandth: by its path, such as `battery`, or a value of it that is older still, such as `battery.voltage`. What is not named was measured at `timestamp`.',
    examples: [{ battery: 1.8, 'navigation.orientation': 0.2 }],
  },
  navigation: { description: 'Where the drone is and how it moves.' },
  orientation: { description: 'Orientation.' },
  percent: { description: 'Charge in percent, 0 to 100.', examples: [81] },
  place: {
    description: `Where the device flies to for its job, while that is ${flownStatusesInWords}. Left out of a job without a \`desiredLocation\`.`,
  },
  'place.coordinates': { description: 'Longitude and latitude in degrees.', examples: [[8.5438, 47.3781]] },
  pitch: { description: 'Degrees, positive with the nose up, -180 to 180.', examples: [-2.1] },
  position: { description: 'Position as a GeoJSON point (RFC 7946).' },
  rain: { description: 'Rain in millimetres per hour, 0 to 1000.', examples: [0] },
  remainingFlightTime: { description: 'Remaining flight time in seconds, 0 to 86400.', examples: [1260] },
  roll: { description: 'Degrees, positive to the right, -180 to 180.', examples: [0.3] },
  route: {
    description:
      'The way from where the flight began to `place`, as longitude and latitude in degrees. Left out while the flight or its way is not known.',
    examples: [
      [
        [8.541694, 47.376887],
        [8.5438, 47.3781],
      ],
    ],
    minItems: 2,
    maxItems: MAX_ROUTE_POINTS,
  },
  sensorPayload: { description: 'Data of sensors. Fields other than `camera` are specific to the vendor.' },
  takeOff: { description: 'The take-off of the flight that the device is in. Left out when it is not in flight.' },
  telemetry: { description: 'One sample, or a list of samples.' },
  temperature: { description: 'Degrees Celsius, -100 to 100.', examples: [17.5] },
  timestamp: {
    description: 'Time of the report by the device’s clock.',
    examples: ['2026-11-27T10:30:15.123Z'],
  },
  track: {
    description:
      'Positions since the take-off, oldest first, five seconds apart or more. Empty when the device is not in flight.',
    maxItems: MAX_TRACK_POINTS,
  },
  trackPoint: { description: 'A position of the flight.' },
  velocity: { description: 'Velocity.' },
  verticalSpeed: { description: 'Metres per second, positive upwards, -200 to 200.', examples: [-0.5] },
  voltage: { description: 'Volts, 0 to 1000.', examples: [24.1] },
  weather: { description: 'Weather that the device reports.' },
  windDirection: {
    description: 'Degrees from which the wind blows, clockwise from true north, 0 to 360.',
    examples: [225],
  },
  windSpeed: { description: 'Metres per second, 0 to 150.', examples: [4.2] },
  'DeviceTelemetryBatchMessage.samples': {
    description: 'The samples, each as it would be sent by itself; those of a device in the order of their `sequence`.',
    minItems: 1,
  },
  'DeviceTelemetryMessage.jobId': { description: 'The job that the device says it flies.' },
  'DeviceTelemetryMessage.receivedAt': receivedAt,
  'DeviceTelemetryMessage.sequence': timeAsSequence,
  'DeviceTelemetryMessage.snapshot': {
    examples: [true],
    description: 'Present, and `true`, in the last known state at the time of subscribing, which is not a new sample.',
  },
  'Position.type': { description: 'Always `Point`.' },
  'Sample.deviceId': { description: 'A device of your organisation.' },
  'Sample.dockState': {
    description: `What the dock does: one of the known values, ${listed(dockStates)}, or one of your own.`,
    examples: ['OPEN'],
  },
  'Sample.droneState': {
    description: `What the drone does: one of the known values, ${listed(droneStates)}, or one of your own.`,
    examples: ['WAYPOINT'],
  },
  'Sample.jobId': {
    description: `The job that the device flies. While that job is ${flownStatusesInWords}, its channel shows the position of the device.`,
  },
  'Sample.sensorPayload': {
    description: 'Data of sensors: `camera`, and whatever else you have; as JSON at most 8 KiB together.',
  },
  'Sample.timestamp': {
    description:
      'When the device measured the sample: a date and time with `Z` or an offset, at most 60 seconds ahead of the service’s clock.',
    examples: ['2026-11-27T10:30:15.123Z'],
  },
  'TakeOff.timestamp': {
    description: 'Time of the take-off by the device’s clock. ISO 8601 in UTC.',
    format: 'date-time',
    examples: ['2026-11-27T10:30:05.004Z'],
  },
  'TrackPoint.timestamp': {
    description: 'Time of the position by the device’s clock. ISO 8601 in UTC.',
    format: 'date-time',
    examples: ['2026-11-27T10:30:10.011Z'],
  },
  'SnapshotEndMessage.count': {
    description: 'How many snapshots were sent: devices that ever reported.',
    examples: [2],
  },
  'SnapshotEndMessage.deviceGroupId': groupOfReply,
  'SnapshotEndMessage.deviceId': deviceOfReply,
  'SubscribeMessage.batch': {
    description:
      'Whether samples that arrive together come as one `device.telemetry.batch`. Without it each comes alone.',
  },
  'SubscribeMessage.deviceGroupId': groupOfSubscription,
  'SubscribeMessage.deviceId': deviceOfSubscription,
  'SubscribedMessage.batch': {
    description: 'Present, and `true`, when the message asked for batches.',
    examples: [true],
  },
  'SubscribedMessage.deviceGroupId': groupOfReply,
  'SubscribedMessage.deviceId': deviceOfReply,
  'UnsubscribeMessage.deviceGroupId': groupOfSubscription,
  'UnsubscribeMessage.deviceId': deviceOfSubscription,
  'UnsubscribedMessage.deviceGroupId': groupOfReply,
  'UnsubscribedMessage.deviceId': deviceOfReply,
  'ViewerTelemetryMessage.receivedAt': receivedAt,
  'ViewerTelemetryMessage.sequence': timeAsSequence,
  'ViewerTelemetryMessage.snapshot': {
    examples: [true],
    description: 'Present, and `true`, in the last known state at the time of connecting, which is not a new sample.',
  },
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const telemetryObjects: Objects = {
  deviceState: 'What is known of a device, of each part what it reported last.',
  measuredBefore: 'How long before the time of a state its parts were measured.',
  navigation: 'Where the drone is and how it moves.',
  position: 'A GeoJSON point (RFC 7946).',
  orientation: 'Orientation of a drone or a camera.',
  velocity: 'Velocity of a drone.',
  battery: 'State of the battery.',
  sensorPayload: 'Data of sensors; fields other than `camera` are specific to the vendor.',
  camera: 'The camera; other fields are specific to the vendor.',
  weather: 'Weather that the device reports.',
};
