import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { newShareCode } from '../../data/store/new-id';
import { organisationOf } from '../../domain/values/id';
import type { Client } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { database, tableNamed, streamOf } from '../api/stack/aws-access';

/**
 * Stores a share of a client's first device that expires sooner than the API allows: just after a whole second, since what is
 * rounded to whole seconds would last the longest then.
 */
export async function givenShortShare(client: Client, seconds: number): Promise<string> {
  const { deviceId } = fleetOf(client);
  const organisation = organisationOf('device', deviceId) ?? '';
  const createdAt = new Date().toISOString();
  const shareCode = newShareCode(organisation, createdAt);
  const expiresAt = new Date((Math.ceil(Date.now() / 1000) + seconds) * 1000 + 50).toISOString();
  const share = { shareCode, resourceId: deviceId, deviceId, shareType: 'DEVICE_STATUS', permissions: ['view'] };
  const counts = { maxViewers: 10, currentViewers: 0, version: 1 };
  const Item = { organisation, ...share, ...counts, createdAt, expiresAt };
  await database().send(new PutCommand({ TableName: await tableNamed('Shares'), Item }));
  return shareCode;
}

/** Shares the live video of a client's first device, with commands; returns the share code. */
export async function givenVideoShare(client: Client): Promise<string> {
  const resourceId = await streamOf(client.credentials.organisationId, fleetOf(client).deviceId);
  const more = { resourceId, shareType: 'STREAM', permissions: ['view', 'control'] };
  return (await givenShare(client, more)).shareCode;
}
