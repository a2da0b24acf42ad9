import { topicName } from '../../contract/terms/channel-addresses';
import { statusMessages } from '../../contract/channels/status-messages';
import type { DeviceState } from '../../domain/telemetry/sample';
import { clients } from '../api/client';
import { fleetOf, givenJobThatIs } from '../api/given';
import { subscribe, type Mqtt } from './mqtt-client';
import { goOffline, report, reportUntilReceived } from './device-reports';
import type { Message } from './message-log';
import { cursorOfOrganisation } from './resume';
import { followFromSnapshot, follow } from './socket';
import { quiet, untilPositionsBegin } from './until';

const [partner] = clients('follow-device-group');
const { deviceGroupId, deviceId, otherGroupId } = fleetOf(partner);
const group = { kind: 'group', id: deviceGroupId } as const;
const devices = partner.credentials.deviceGroups[0]?.devices ?? [];

const at = (second: number) => `2026-11-27T10:30:${String(second).padStart(2, '0')}.000Z`;
const state = (second: number, more: Partial<DeviceState> = {}): DeviceState => ({
  timestamp: at(second),
  droneState: 'WAYPOINT',
  dockState: 'OPEN',
  navigation: {
    position: { type: 'Point', coordinates: [-122.4194, 37.7749, 80 + second] },
    orientation: { heading: 270.5, pitch: -2.1, roll: 0.3 },
    velocity: { groundSpeed: 12.5, verticalSpeed: -0.5 },
  },
  ...more,
});

/** Of each device: more than fit into one batch of the fan-out, at the speed at which they can be written. */
const POSITIONS = 60;

/** Reports positions of one second until one is published on a topic. */
const untilPublished = (listener: Mqtt, second: number, more: Partial<DeviceState> = {}) => {
  const timestampOf = (count: number) => at(second).replace('.000', `.${String(count + 1).padStart(3, '0')}`);
  const stateAt = (count: number) => state(second, { ...more, timestamp: timestampOf(count) });
  return reportUntilReceived(deviceId, stateAt, listener.messages);
};

// Tests build on each other, since they use the same devices.
describe('A follower of a device group', () => {
  test('first receives the state of each of its devices, and of no other', async () => {
    const socket = await follow(partner, group);
    await socket.first(devices.length);
    await quiet();
    expect(socket.messages.map((message) => message['deviceId']).toSorted()).toEqual(
      devices.map((device) => device.deviceId).toSorted(),
    );
    for (const message of socket.messages)
      expect(message).toMatchObject({ type: 'device.status', deviceGroupId, status: 'offline', snapshot: true });
  });

  test('receives the same message over WSS and MQTTS when a device comes online', async () => {
    const socket = await follow(partner, group);
    await socket.first(devices.length);
    const listener = await subscribe(partner, topicName(group));
    const battery = { percent: 81, voltage: 47.1, remainingFlightTime: 1260 };
    const sensorPayload = { camera: { orientation: { heading: 90, pitch: -45, roll: 0 } } };
    const weather = { windSpeed: 4, windDirection: 200, temperature: 11, humidity: 60, rain: 0 };
    await report(deviceId, state(1, { battery, sensorPayload, weather }));
    const message = await socket.like({ status: 'online' });
    expect(message).toEqual({
      type: 'device.status',
      sequence: expect.any(Number) as number,
      cursor: cursorOfOrganisation(partner),
      deviceId,
      deviceGroupId,
      name: expect.any(String) as string,
      status: 'online',
      ...state(1),
      battery,
      sensorPayload,
      weather,
    });
    expect(statusMessages['device.status'].parse(message)).toEqual(message);
    await listener.like({ status: 'online' });
    expect(listener.texts.at(-1)).toBe(socket.texts.at(-1));
  });

  test('receives each position in order, and nothing for an unchanged state', async () => {
    const socket = await followFromSnapshot(partner, group, devices.length);
    for (const second of [2, 3, 3, 4]) await report(deviceId, state(second));
    await socket.like({ timestamp: at(4) });
    const positions = socket.messages.slice(devices.length).map(({ timestamp }) => timestamp);
    expect(positions).toEqual([at(2), at(3), at(4)]);
  });

  test('receives no positions as retained messages, but whether a device is online', async () => {
    const early = await subscribe(partner, topicName(group));
    await untilPublished(early, 4);
    await report(deviceId, state(5));
    await early.like({ timestamp: at(5) });
    const late = await subscribe(partner, topicName(group));
    const [kept] = await late.first(1);
    expect(kept).toMatchObject({ status: 'online', timestamp: at(1) });
    expect(late.received).toMatchObject([{ retained: true }]);
    await goOffline(deviceId);
    await late.like({ status: 'offline' });
    const later = await subscribe(partner, topicName(group));
    expect(await later.like({ status: 'offline' })).toMatchObject({ deviceId, timestamp: at(5) });
  });

  test('receives nothing of another group', async () => {
    const socket = await followFromSnapshot(partner, { kind: 'group', id: otherGroupId });
    const listener = await subscribe(partner, topicName({ kind: 'group', id: otherGroupId }));
    await report(deviceId, state(6));
    await quiet();
    for (const message of [...socket.messages, ...listener.messages])
      expect(message['deviceGroupId']).toBe(otherGroupId);
  });

  test('receives all positions of devices that report at the same time, those of each in order', async () => {
    const socket = await followFromSnapshot(partner, group, devices.length);
    const times = Array.from({ length: POSITIONS }, (_, index) => `2026-11-27T10:30:07.${100 + index}Z`);
    const reportAll = async (id: string) => {
      for (const timestamp of times) await report(id, state(7, { timestamp }));
    };
    await Promise.all(devices.map((device) => reportAll(device.deviceId)));
    await socket.first(devices.length * (1 + POSITIONS));
    const received = socket.texts.map((text) => JSON.parse(text) as Message).slice(devices.length);
    expect(devices.length).toBeGreaterThan(1);
    for (const device of devices) {
      const own = received.filter((message) => message['deviceId'] === device.deviceId);
      expect(own.map(({ timestamp }) => timestamp)).toEqual(times);
    }
  });
});

describe('A follower of a running job', () => {
  test('receives positions of its device, which are not retained', async () => {
    const jobId = await givenJobThatIs('IN_PROGRESS', partner);
    const channel = { kind: 'job', id: jobId } as const;
    const socket = await followFromSnapshot(partner, channel);
    const listener = await subscribe(partner, topicName(channel));
    await listener.like({ jobState: 'IN_PROGRESS' });
    await untilPublished(listener, 9, { jobId });
    await report(deviceId, state(10, { jobId }));
    const message = await socket.like({ timestamp: at(10) });
    const { timestamp, droneState, dockState, navigation } = state(10);
    expect(message).toEqual({
      type: 'job.status',
      sequence: 3,
      jobId,
      deviceGroupId,
      deviceId,
      jobState: 'IN_PROGRESS',
      droneState,
      dockState,
      navigation,
      timestamp,
    });
    expect(statusMessages['job.status'].parse(message)).toEqual(message);
    await listener.like({ timestamp: at(10) });
    expect(listener.texts.at(-1)).toBe(socket.texts.at(-1));
    const late = await subscribe(partner, topicName(channel));
    const [retained] = await late.first(1);
    expect(retained).toMatchObject({ jobState: 'IN_PROGRESS', snapshot: true });
    for (const ofPosition of ['droneState', 'navigation']) expect(retained).not.toHaveProperty(ofPosition);
  });

  test('receives nothing of a device that does not fly it, or after the job has ended', async () => {
    const jobId = await givenJobThatIs('COMPLETED', partner);
    const running = await givenJobThatIs('IN_PROGRESS', partner);
    const [over, other] = [
      await followFromSnapshot(partner, { kind: 'job', id: jobId }),
      await followFromSnapshot(partner, { kind: 'job', id: running }),
    ];
    await untilPositionsBegin();
    await report(deviceId, state(11, { jobId }));
    await report(deviceId, state(12));
    await report(deviceId, state(13, { jobId: running }));
    expect(await other.first(2)).toMatchObject([{ snapshot: true }, { timestamp: at(13) }]);
    expect(over.messages).toMatchObject([{ snapshot: true }]);
  });
});
