import { changeJob } from '../../../data/jobs/job-changes';
import { insertJob } from '../../../data/jobs/jobs';
import { readFlight, recordPosition } from '../../../data/telemetry/flights';
import type { RecordedPoint } from '../../../domain/telemetry/flight-record';
import type { RecordEntry } from '../../../domain/fleet/sample-decision';
import { handler } from '../../../lambdas/telemetry/get-job-track.lambda';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { callForText } from '../../lambdas/fixtures/api-gateway';
import { useStorage } from './storage';

/** Positions that are written at once. */
const AT_ONCE = 25;
const droneStates = ['WAYPOINT', 'HOVER', 'RETURNING'];

/** A recorded flight, and the function of the endpoint that returns its track. */
export interface RecordedFlight {
  readonly points: readonly RecordedPoint[];
  /** The body of the reply in the format that `Accept` selects. @throws Error for another status than 200 */
  track(accept: string): Promise<string>;
}

/** A circle around a rising drone, with everything that a device reports; now and then it does not know its heading. */
const pointAt = (second: number): RecordedPoint => ({
  deviceId: id('device'),
  timestamp: new Date(Date.parse('2026-11-27T10:30:00.123Z') + second * 1000).toISOString(),
  coordinates: [
    Number((8.541694 + Math.cos(second / 60) / 100).toFixed(6)),
    Number((47.376887 + Math.sin(second / 60) / 100).toFixed(6)),
    Number((440 + second / 30).toFixed(1)),
  ],
  groundSpeed: 12.5,
  verticalSpeed: -0.5,
  batteryPercent: 81.3,
  ...(second % 10 > 0 && { heading: Number(((second * 7.3) % 360).toFixed(1)) }),
  droneState: droneStates[Math.floor(second / 600) % droneStates.length] ?? '',
});

/** Discards what `run` logs. */
async function quietly<Result>(run: () => Promise<Result>): Promise<Result> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  try {
    return await run();
  } finally {
    process.stdout.write = write;
  }
}

/** Records a flight of a position a second, in the storage of this process. */
export const recordFlight = (seconds: number): Promise<RecordedFlight> =>
  recordPoints(
    String(seconds),
    Array.from({ length: seconds }, (_, second) => pointAt(second)),
  );

/**
 * Records positions, in the storage of this process.
 * @param name unique among the flights of the process: a number, as text
 * @param points oldest first
 */
export async function recordPoints(name: string, points: readonly RecordedPoint[]): Promise<RecordedFlight> {
  await useStorage();
  process.env['FLIGHT_RETENTION_DAYS'] = '90';
  const job = sampleJob({ jobId: id('job', acme, name.padStart(26, '0')), status: 'QUEUED' });
  await insertJob({ organisation: acme, clientId: 'client-1' }, job);
  const change = { now: points.at(-1)?.timestamp ?? '', cause: { reportedAt: points[0]?.timestamp } };
  await changeJob(acme, job.jobId, { status: 'IN_PROGRESS' }, { changeId: 'begin', ...change });
  const entry = (point: RecordedPoint): RecordEntry => ({
    sample: { deviceId: point.deviceId, timestamp: point.timestamp },
    point,
    kind: 'job',
    flight: job.jobId,
    everySeconds: 1,
    since: undefined,
  });
  for (let from = 0; from < points.length; from += AT_ONCE)
    await Promise.all(points.slice(from, from + AT_ONCE).map((point) => recordPosition(entry(point))));
  if ((await readFlight(job.jobId, new Date())).length !== points.length)
    throw new Error('the record does not have every position');
  return {
    points,
    async track(accept) {
      const request = { scopes: ['command:read'] as const, path: { jobId: job.jobId }, headers: { accept } };
      const { status, text } = await quietly(() => callForText(handler, request));
      if (status !== 200) throw new Error(`the answer has the status ${status}: ${text}`);
      return text;
    },
  };
}
