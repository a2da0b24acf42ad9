import { pathTo } from '../../domain/jobs/job-lifecycle';
import { clients } from '../api/client';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { iso } from '../api/iso';
import { ask, openTelemetry, publish, watch } from './telemetry-socket';
import { until } from './until';

const [partner] = clients('flight');
const { deviceId } = fleetOf(partner);

/** A flight that began a minute ago: later samples continue it. */
const begin = Date.now() - 58_000;
const sampleAt = (seconds: number, droneState: string, altitude: number) => ({
  deviceId,
  timestamp: new Date(begin + seconds * 1000).toISOString(),
  droneState,
  navigation: {
    position: { type: 'Point', coordinates: [8.5417 + seconds / 1000, 47.3769, altitude] },
    velocity: { groundSpeed: 12.5 },
  },
});
interface Flight {
  readonly takeOff?: { readonly timestamp: string };
  readonly track: readonly { readonly timestamp: string; readonly coordinates: readonly number[] }[];
}

describe('A viewer who asks for the flight', () => {
  test('gets the name of the device and an empty track while it is docked', async () => {
    await publish(await openTelemetry(partner), sampleAt(-1, 'DOCKED', 440));
    const viewer = await watch((await givenShare(partner)).shareCode);
    const { body } = await partner.call('GET /v3/resources');
    const device = body.resources.flatMap(({ devices }) => devices).find((each) => each.deviceId === deviceId);
    expect(await ask(viewer, { action: 'flight' })).toEqual({
      type: 'share.flight',
      deviceName: device?.name,
      track: [],
    });
  });

  test('gets take-off, job, and the track since then, and nothing of it after the landing', async () => {
    const publisher = await openTelemetry(partner);
    const desiredLocation = { type: 'Point', coordinates: [8.6, 47.3769] };
    const { jobId } = await givenJob(partner, { desiredLocation, actionOnArrival: 'ORBIT' });
    for (const status of pathTo('IN_PROGRESS'))
      await partner.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status } });
    const viewer = await watch((await givenShare(partner)).shareCode);
    const flight = async () => (await ask(viewer, { action: 'flight' })) as unknown as Flight;
    // The device is stored once a second: each sample is asked for before the next one is published.
    for (const seconds of [0, 5, 11, 52]) {
      await publish(publisher, { ...sampleAt(seconds, 'WAYPOINT', 450 + seconds), jobId });
      await until('the position', async () =>
        (await flight()).track.at(-1)?.timestamp === sampleAt(seconds, '', 0).timestamp ? true : undefined,
      );
    }
    const { track, ...rest } = await flight();
    expect(rest).toEqual({
      type: 'share.flight',
      deviceName: expect.any(String) as string,
      jobName: 'Survey',
      takeOff: { timestamp: iso, altitude: 440 },
      place: { coordinates: [8.6, 47.3769], actionOnArrival: 'ORBIT' },
      route: [
        [8.5417, 47.3769],
        [8.6, 47.3769],
      ],
    });
    expect(rest.takeOff?.timestamp).toBe(sampleAt(0, '', 0).timestamp);
    expect(track).toEqual(
      [0, 5, 11, 52].map((seconds) => ({
        timestamp: sampleAt(seconds, '', 0).timestamp,
        coordinates: [Number((8.5417 + seconds / 1000).toFixed(6)), 47.3769, 450 + seconds],
        groundSpeed: 12.5,
      })),
    );
    await publish(publisher, sampleAt(55, 'LANDED', 441));
    await until('the landing', async () => ((await flight()).track.length === 0 ? true : undefined));
  });

  test('is refused when it is a partner', async () => {
    const details = [{ path: 'action', message: 'is only for viewers of a share' }];
    const forbidden = { type: 'error', code: 'forbidden', error: 'Forbidden', details };
    expect(await ask(await openTelemetry(partner), { action: 'flight' })).toEqual(forbidden);
  });
});
