import { clients } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { iso } from '../api/iso';
import { streamOf } from '../api/stack/aws-access';
import { ask, openTelemetry, publish, sampleOf, samplesIn, watch } from './telemetry-socket';
import { quiet, until } from './until';
import { untilViewersAre } from './seats';

const [partner] = clients('telemetry-viewers');
const { deviceId, deviceGroupId } = fleetOf(partner);
const neighbour = partner.credentials.deviceGroups[0]?.devices[1]?.deviceId ?? '';

describe('A viewer', () => {
  test('receives the share, then the state of the device, and then each of its samples and no other', async () => {
    const publisher = await openTelemetry(partner);
    await publish(publisher, sampleOf(deviceId, { droneState: 'HOVER' }));
    const { shareCode, expiresAt, maxViewers } = await givenShare(partner, { maxViewers: 3 });
    const viewer = await watch(shareCode);
    const [status, snapshot] = await viewer.first(2);
    expect(status).toEqual({
      type: 'share.status',
      sequence: expect.any(Number) as number,
      shareCode,
      shareState: 'ACTIVE',
      shareType: 'DEVICE_STATUS',
      permissions: ['view'],
      currentViewers: 1,
      maxViewers,
      expiresAt,
      snapshot: true,
      timestamp: iso,
    });
    // The stored count follows a second later, as version 2 of the share.
    expect([1, 2]).toContain(status?.sequence);
    expect(snapshot).toMatchObject({ type: 'device.telemetry', deviceId, droneState: 'HOVER', snapshot: true });

    await publish(publisher, sampleOf(neighbour));
    const sample = sampleOf(deviceId);
    await publish(publisher, sample);
    const sequence = Date.parse(sample.timestamp);
    const message = { type: 'device.telemetry', ...sample, sequence, receivedAt: iso };
    expect(await viewer.like({ timestamp: sample.timestamp })).toEqual(message);
    await quiet();
    expect(viewer.texts.join('')).not.toContain(neighbour);
  });

  test('receives neither group nor job nor vendor fields of sensors, live or in the snapshot', async () => {
    const [publisher, partnerSocket] = [await openTelemetry(partner), await openTelemetry(partner)];
    await ask(partnerSocket, { action: 'subscribe', deviceId });
    const jobId = 'job-of-the-partner';
    const orientation = { heading: 90 };
    const sensorPayload = { camera: { orientation, lens: 'secret' }, note: 'secret' };
    const { shareCode } = await givenShare(partner);
    const live = await watch(shareCode);
    const sample = sampleOf(deviceId, { jobId, sensorPayload });
    await publish(publisher, sample);
    const late = await watch(shareCode);
    for (const viewer of [live, late]) {
      expect(await viewer.like({ timestamp: sample.timestamp })).toMatchObject({
        sensorPayload: { camera: { orientation } },
      });
      for (const hidden of ['secret', jobId, deviceGroupId]) expect(viewer.texts.join('')).not.toContain(hidden);
    }
    expect(await partnerSocket.like({ timestamp: sample.timestamp })).toMatchObject({
      jobId,
      sensorPayload,
      deviceGroupId,
    });
  });

  test('receives the number of viewers, as does the partner', async () => {
    const { shareCode } = await givenShare(partner);
    const first = await watch(shareCode);
    const second = await watch(shareCode);
    await first.like({ currentViewers: 2 });
    await untilViewersAre(partner, shareCode, 2);
    await second.close();
    await until('leaving', () => (first.messages.at(-1)?.['currentViewers'] === 1 ? true : undefined));
    first.socket.terminate();
    await untilViewersAre(partner, shareCode, 0);
  });

  test('may only ping, and forbidden actions do not close its socket', async () => {
    const { shareCode } = await givenShare(partner);
    const viewer = await watch(shareCode);
    const forbidden = (path: string, message: string) => ({
      type: 'error',
      code: 'forbidden',
      error: 'Forbidden',
      details: [{ path, message }],
    });
    for (const message of [
      { action: 'publish', telemetry: sampleOf(deviceId) },
      { action: 'subscribe', deviceId: neighbour },
      { action: 'subscribe', deviceGroupId },
      { action: 'unsubscribe', deviceId },
    ])
      expect(await ask(viewer, message)).toEqual(forbidden('action', 'is not for viewers of a share'));
    expect(await ask(viewer, { action: 'control', command: { name: 'HOVER' } })).toEqual(
      forbidden('', 'the share does not permit this, or it has ended'),
    );
    expect(await ask(viewer, { action: 'playback' })).toEqual(forbidden('', 'the share is not of live video'));
    expect(await ask(viewer, { action: 'ping' })).toMatchObject({ type: 'pong' });
    const publisher = await openTelemetry(partner);
    await publish(publisher, sampleOf(neighbour));
    const sample = sampleOf(deviceId);
    await publish(publisher, sample);
    await viewer.like({ timestamp: sample.timestamp });
    expect(samplesIn(viewer, neighbour)).toEqual([]);
  });

  test('of a share with control can send commands, and receives an error for an invalid one', async () => {
    const { shareCode } = await givenShare(partner, { permissions: ['view', 'control'] });
    const viewer = await watch(shareCode);
    const command = { name: 'HOVER', altitude: 40 };
    expect(await ask(viewer, { action: 'control', command })).toMatchObject({ type: 'accepted' });
    for (const wrong of [{}, { name: '' }, { name: 7 }, 'HOVER', undefined])
      expect(await ask(viewer, { action: 'control', command: wrong })).toMatchObject({ error: 'invalid_request' });
  });

  test('of a stream receives the video URL, or that there is none, and may request it again', async () => {
    const resourceId = await streamOf(partner.credentials.organisationId, deviceId);
    for (const resource of [resourceId, neighbour]) {
      const { shareCode } = await givenShare(partner, { resourceId: resource, shareType: 'STREAM' });
      const viewer = await watch(shareCode);
      const first = await viewer.like({ type: 'share.playback' });
      const again = await ask(viewer, { action: 'playback' });
      const none = {
        type: 'share.playback',
        playback: null,
        code: 'no_video_stream',
        error: 'The device has no video stream',
      };
      for (const answer of [first, again])
        if (resource === neighbour) expect(answer).toEqual(none);
        else expect(answer).toMatchObject({ playback: { protocol: 'HLS', expiresAt: iso } });
    }
  });
});
