import type { Client } from '../api/client';
import { fleetOf, givenShare } from '../api/given';
import { streamOf } from '../api/stack/aws-access';

/** Shares the live video of a client's first device, with commands; returns the share code. */
export async function givenVideoShare(client: Client): Promise<string> {
  const resourceId = await streamOf(client.credentials.organisationId, fleetOf(client).deviceId);
  const more = { resourceId, shareType: 'STREAM', permissions: ['view', 'control'] };
  return (await givenShare(client, more)).shareCode;
}
