import { paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { tableVariable } from '../../domain/values/table-names';
import { setting } from './settings';
import { dynamodb } from './table';

const device = z.object({ kind: z.literal('device'), deviceId: z.string(), deviceGroupId: z.string() });
export type SimulatedDevice = z.output<typeof device>;

/** All registered devices: each one is simulated. */
export async function listDevices(): Promise<SimulatedDevice[]> {
  const found: SimulatedDevice[] = [];
  const pages = paginateScan(
    { client: dynamodb },
    {
      TableName: setting(tableVariable('fleet')),
      ProjectionExpression: '#kind, deviceId, deviceGroupId',
      FilterExpression: '#kind = :device',
      ExpressionAttributeNames: { '#kind': 'kind' },
      ExpressionAttributeValues: { ':device': 'device' },
    },
  );
  for await (const page of pages) {
    found.push(...(page.Items ?? []).map((each) => device.parse(each)));
  }
  return found;
}
