import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { clients } from '../api/client';
import { fleetOf } from '../api/given';
import { database, tableNamed } from '../api/stack/aws-access';
import { report } from './report';
import { followFromSnapshot } from './socket';
import { until } from './until';

const [partner] = clients('slow-reader');
const { deviceGroupId, deviceId } = fleetOf(partner);

/** Enough of what sensors say to fill every buffer between a device and a client that reads nothing. */
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

test('A socket that never reads keeps nothing from its neighbour, and is closed in the end.', async () => {
  const group = { kind: 'group', id: deviceGroupId } as const;
  const [sleeper, neighbour] = [await followFromSnapshot(partner, group), await followFromSnapshot(partner, group)];
  sleeper.socket.pause();
  const moments = Array.from({ length: REPORTS }, (_, index) => new Date(Date.UTC(2026, 10, 27) + index).toISOString());
  for (const timestamp of moments) await report(deviceId, { timestamp, sensorPayload: { camera: {}, padding } });

  await neighbour.like({ timestamp: moments.at(-1) });
  const heard = neighbour.messages.filter(({ snapshot }) => snapshot !== true).map(({ timestamp }) => timestamp);
  expect([...new Set(heard)]).toEqual(moments);
  await until('closing the socket', async () => ((await followers()) === 1 ? true : undefined), followers);
  expect(sleeper.texts.length).toBeLessThan(REPORTS);
});
