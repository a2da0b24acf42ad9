import { exampleValue } from '../fields';

const exampleText = (field: string) => exampleValue(field) as string;

/** Identifiers of the examples: one organisation, its group with a drone, a job and a share; and a token of its client. */
export const exampleIds = {
  jobId: exampleText('jobId'),
  deviceGroupId: exampleText('deviceGroupId'),
  deviceId: exampleText('deviceId'),
  shareCode: exampleText('shareCode'),
  token: exampleText('access_token'),
};

/** One message as it is sent or received. */
export interface MessageExample {
  readonly name: string;
  readonly summary: string;
  readonly payload: unknown;
}

const { deviceId } = exampleIds;
export const measuredAt = '2026-11-20T10:30:15.123Z';
export const receivedAt = '2026-11-20T10:30:15.208Z';
export const commandId = exampleText('commandId');

export const navigationExample = {
  position: { type: 'Point', coordinates: [8.5417, 47.3769, 485.5] },
  orientation: { heading: 270.5, pitch: -2.1, roll: 0.3 },
  velocity: { groundSpeed: 12.5, verticalSpeed: -0.5 },
};
const battery = { percent: 81, voltage: 47.1, remainingFlightTime: 1260 };
export const cameraExample = { orientation: { heading: 90, pitch: -45, roll: 0 } };
export const progressExample = { percent: 42, distanceLeft: 640, secondsLeft: 75 };
export const weatherExample = { windSpeed: 4, windDirection: 200, temperature: 11, humidity: 60, rain: 0 };
export const inFlight = { droneState: 'WAYPOINT', dockState: 'OPEN', navigation: navigationExample, battery };
export const sampleExample = { deviceId, timestamp: measuredAt, ...inFlight };
export const sequence = Date.parse(measuredAt);
export const shareExample = { currentViewers: 2, maxViewers: 10, expiresAt: '2026-11-20T11:10:00.000Z' };

/** A message with a single example. */
export const only = (payload: unknown, summary = 'Example'): readonly MessageExample[] => [
  { name: 'example', summary, payload },
];
