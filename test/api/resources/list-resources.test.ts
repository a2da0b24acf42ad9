import { clients } from '../client';

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
        devices: [device(known?.devices[0], 1), device(known?.devices[1], 2)],
      };
    };
    expect(body).toEqual({ success: true, resources: [group('North', 0), group('South', 1)], count: 2 });
  });

  test('lists no device group of another organisation', async () => {
    const ids = async (client: typeof partner) =>
      (await client.call('GET /v3/resources')).body.resources.map(({ deviceGroupId }) => deviceGroupId);
    const theirs = await ids(stranger);
    expect(theirs).toHaveLength(2);
    expect((await ids(partner)).filter((id) => theirs.includes(id))).toEqual([]);
  });
});
