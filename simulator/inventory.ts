import { ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { tableVariable } from '../contract/tables';
import { dynamodb } from './missions';
import { setting } from './setting';

const device = z.object({ kind: z.literal('device'), deviceId: z.string(), deviceGroupId: z.string() });
export type SimulatedDevice = z.output<typeof device>;

/** All registered devices: each one is simulated. */
export async function listDevices(): Promise<SimulatedDevice[]> {
  const found: SimulatedDevice[] = [];
  let from: ScanCommandOutput['LastEvaluatedKey'];
  do {
    const page: ScanCommandOutput = await dynamodb.send(
      new ScanCommand({
        TableName: setting(tableVariable('fleet')),
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
