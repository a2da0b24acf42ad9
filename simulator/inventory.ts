import { ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { dynamodb } from './missions';
import { setting } from './setting';

const device = z.object({ kind: z.literal('device'), deviceId: z.string(), deviceGroupId: z.string() });
export type SimulatedDevice = z.output<typeof device>;

/** Every device that has been registered: each one is simulated. */
export async function inventory(): Promise<SimulatedDevice[]> {
  const found: SimulatedDevice[] = [];
  let from: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await dynamodb.send(
      new ScanCommand({
        TableName: setting('FLEET_TABLE'),
        ProjectionExpression: '#kind, deviceId, deviceGroupId',
        FilterExpression: '#kind = :device',
        ExpressionAttributeNames: { '#kind': 'kind' },
        ExpressionAttributeValues: { ':device': 'device' },
        ...(from && { ExclusiveStartKey: from }),
      }),
    );
    found.push(...(page.Items ?? []).map((each) => device.parse(each)));
    from = page.LastEvaluatedKey;
  } while (from);
  return found;
}
