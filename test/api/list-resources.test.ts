import { report } from '../channels/device-reports';
import { clients } from './client';
import { fleetOf, invalidAt } from './given';

const [partner] = clients('list-resources');
const [stranger] = clients('stranger');

describe('GET /v3/resources', () => {
  test('lists every device group of the organisation with its devices', async () => {
    const { status, body } = await partner.call('GET /v3/resources');
    expect(status).toBe(200);
    const group = (name: string, index: number) => {
      const known = partner.credentials.deviceGroups[index];
      const device = (each: { deviceId: string } | undefined, number: number) => ({
        deviceId: each?.deviceId,
        name: `${name} ${number}`,
        status: expect.stringMatching(/^(on|off)line$/) as string,
      });
      return {
        deviceGroupId: known?.deviceGroupId,
        name,
        description: `Docks in the ${name.toLowerCase()}`,
        deviceCount: 2,
        links: {
          mqttTopic: `${String(known?.deviceGroupId)}/DEVICE/STATUS`,
          webSocketPath: `/v3/devices/${String(known?.deviceGroupId)}/status/ws`,
        },
        devices: [device(known?.devices[0], 1), device(known?.devices[1], 2)],
      };
    };
    expect(body).toEqual({ success: true, resources: [group('North', 0), group('South', 1)], count: 2 });
  });

  test('has what each device reported last, without data of sensors, when it is asked for', async () => {
    const { deviceId } = fleetOf(partner);
    const state = {
      timestamp: new Date().toISOString(),
      jobId: 'job-of-the-platform',
      droneState: 'HOVER',
      dockState: 'OPEN',
      navigation: { position: { type: 'Point' as const, coordinates: [8.5, 47.3, 480] as [number, number, number] } },
      battery: { percent: 81 },
    };
    await report(deviceId, { ...state, sensorPayload: { gas: { methane: 2 } } });
    const states = async (query: object) =>
      (await partner.call('GET /v3/resources', query)).body.resources.flatMap(({ devices }) =>
        devices.flatMap((each) => (each.lastState ? [[each.deviceId, each.lastState]] : [])),
      );
    expect(await states({ query: { include: 'state' } })).toEqual([[deviceId, state]]);
    expect(await states({})).toEqual([]);
  });

  test('answers 400 for something else to include', async () => {
    expect(await partner.call('GET /v3/resources', { query: { include: 'states' } })).toMatchObject(
      invalidAt('include', 'must be state'),
    );
  });

  test('lists no device group of another organisation', async () => {
    const ids = async (client: typeof partner) =>
      (await client.call('GET /v3/resources')).body.resources.map(({ deviceGroupId }) => deviceGroupId);
    const theirs = await ids(stranger);
    expect(theirs).toHaveLength(2);
    expect((await ids(partner)).filter((id) => theirs.includes(id))).toEqual([]);
  });
});
