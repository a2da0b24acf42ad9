import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { clients } from '../api/client';
import { fleetOf } from '../api/given';
import { database, tableNamed } from '../api/stack/aws-access';
import { report } from './device-reports';
import { followFromSnapshot } from './socket';
import { until } from './until';

const [partner] = clients('slow-reader');
const { deviceGroupId, deviceId } = fleetOf(partner);

/** Enough data to fill every buffer between a device and a client that does not read. */
const REPORTS = 700;
const padding = 'x'.repeat(7500);

async function followers(): Promise<number> {
  const { Count = 0 } = await database().send(
    new QueryCommand({
      TableName: await tableNamed('Connections'),
      KeyConditionExpression: 'channel = :channel',
      ExpressionAttributeValues: { ':channel': `group#${deviceGroupId}` },
      ConsistentRead: true,
    }),
  );
  return Count;
}

test('a socket that never reads delays no other socket, and is closed in the end', async () => {
  const group = { kind: 'group', id: deviceGroupId } as const;
  const [sleeper, neighbour] = [await followFromSnapshot(partner, group), await followFromSnapshot(partner, group)];
  sleeper.socket.pause();
  const timestamps = Array.from({ length: REPORTS }, (_, index) =>
    new Date(Date.UTC(2026, 10, 27) + index).toISOString(),
  );
  for (const timestamp of timestamps) await report(deviceId, { timestamp, sensorPayload: { camera: {}, padding } });

  await neighbour.like({ timestamp: timestamps.at(-1) });
  const received = neighbour.messages
    .filter(({ type, snapshot }) => type === 'device.status' && snapshot !== true)
    .map(({ timestamp }) => timestamp);
  expect([...new Set(received)]).toEqual(timestamps);
  await until('closing the socket', async () => ((await followers()) === 1 ? true : undefined), followers);
  expect(sleeper.texts.length).toBeLessThan(REPORTS);
});
