/**
 * The stored form of a device's state: compressed JSON, since an item of more than 1 kB costs a second write unit, once a
 * second in flight (DynamoDB developer guide, "Read/write capacity mode"). With parts that were measured at several times
 * JSON alone is 0.9 kB of it.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { KnownState } from '../../domain/telemetry/known-state';

/** Texts that states have in common. What is stored can only be read with these very bytes: never change them. */
const dictionary = Buffer.from(
  '{"measuredBefore":{"droneState":0.,"dockState":0.,"navigation.position":0.,"navigation.orientation":0.,' +
    '"navigation.velocity":0.,"battery":0.,"sensorPayload.camera.orientation":0.,"weather":0.,"jobId":0.,"progress":0.,' +
    '"simulated":0.},"timestamp":"2026-","droneState":"WAYPOINT","dockState":"CLOSED","navigation":{"position":{"type":' +
    '"Point","coordinates":[]},"orientation":{"heading":1,"pitch":-1,"roll":0},"velocity":{"groundSpeed":1,' +
    '"verticalSpeed":-1}},"battery":{"percent":1,"voltage":1,"remainingFlightTime":1},"sensorPayload":{"camera":' +
    '{"orientation":{"heading":1,"pitch":-90,"roll":0}}},"weather":{"windSpeed":1,"windDirection":1,"temperature":1,' +
    '"humidity":1,"rain":0},"jobId":"job-","progress":{"percent":1,"distanceLeft":1,"secondsLeft":1},"simulated":true}',
);

/** A state as it is stored: base64, since Lambda passes binary attributes of streams on as that. */
export const stateText = (state: KnownState): string =>
  deflateRawSync(JSON.stringify(state), { dictionary }).toString('base64');

const readText = (text: string): unknown =>
  JSON.parse(inflateRawSync(Buffer.from(text, 'base64'), { dictionary }).toString());

/**
 * The state in an item of a device, before it is parsed; undefined when it has none. Releases before this form stored
 * `lastState` as JSON; after a return to such a release the later one counts.
 * @throws Error for a text that can't be read
 */
export function storedState({ state, lastState }: Readonly<Record<string, unknown>>): unknown {
  const former: unknown = typeof lastState === 'string' ? JSON.parse(lastState) : lastState;
  if (typeof state !== 'string') return former;
  const stored = readText(state);
  return former !== undefined && timeOf(former) > timeOf(stored) ? former : stored;
}

/** The time of a state; empty for what is none. */
function timeOf(state: unknown): string {
  const timestamp = typeof state === 'object' && state !== null && 'timestamp' in state ? state.timestamp : '';
  return typeof timestamp === 'string' ? timestamp : '';
}
