import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { organisationOf } from '../../../domain/values/id';
import type { AwsAccess } from 'cloud-assembly-runner';

/** Returns a function that changes a device's status in the table of a running stack, as telemetry and offline detection do. */
export async function deviceStatusWriter({ endpointUrl, region, ...credentials }: AwsAccess, deviceId: string) {
  const database = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: endpointUrl, region, credentials }));
  const { TableNames = [] } = await database.send(new ListTablesCommand());
  const TableName = TableNames.find((name) => name.includes('TablesFleet'));
  return (status: 'online' | 'offline') =>
    database.send(
      new UpdateCommand({
        TableName,
        Key: fleetKey(organisationOf('device', deviceId) ?? '', deviceId),
        UpdateExpression: 'SET #status = :status ADD version :one',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': status, ':one': 1 },
      }),
    );
}
