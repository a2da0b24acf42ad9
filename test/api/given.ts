import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { jobStatuses, mayMove, pathTo, type JobStatus } from '../../domain/jobs/job-lifecycle';
import { givenFlyingDevice } from '../channels/flying-device';
import type { Client } from './client';
import { newShareCode } from '../../data/store/new-id';
import { organisationOf } from '../../domain/values/id';
import { database, tableNamed, streamOf } from './stack/aws-access';

/** The first device group that a client's organisation has, and the first device in it. */
export function fleetOf({ credentials }: Client) {
  const [first, second] = credentials.deviceGroups;
  const device = first?.devices[0];
  if (!first || !second || !device) throw new Error('an onboarded organisation has two groups with devices');
  return { deviceGroupId: first.deviceGroupId, deviceId: device.deviceId, otherGroupId: second.deviceGroupId };
}

/** Creates a job; returns the job in the answer. */
export async function givenJob(client: Client, fields: object = {}) {
  const { deviceGroupId } = fleetOf(client);
  const { status, body } = await client.call('POST /v3/jobs/create', {
    body: { name: 'Survey', deviceGroupId, ...fields },
  });
  expect([status, body.details]).toEqual([201, undefined]);
  return body.job;
}

/** Creates a job and moves it to a status; returns its id. */
export async function givenJobThatIs(status: JobStatus, client: Client): Promise<string> {
  const { jobId } = await givenJob(client);
  for (const next of pathTo(status)) {
    const moved = await client.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body: { status: next } });
    expect(moved.status).toBe(200);
  }
  return jobId;
}

/** The current job. */
export async function jobNow(client: Client, jobId: string) {
  const { status, body } = await client.call('GET /v3/jobs/{jobId}', { path: { jobId } });
  expect(status).toBe(200);
  return body.job;
}

/** Creates a share; returns the share in the answer. */
export async function givenShare(client: Client, fields: object = {}) {
  const { status, body } = await client.call('POST /v3/streams/share', {
    body: { resourceId: fleetOf(client).deviceId, shareType: 'DEVICE_STATUS', ...fields },
  });
  expect([status, body.details]).toEqual([201, undefined]);
  return body.share;
}

/** Sends a command to a device that flies; returns the command in the answer. */
export async function givenCommand(client: Client, body: object = { name: 'PAUSE' }) {
  const deviceId = await givenFlyingDevice(fleetOf(client).deviceGroupId);
  const { status, body: reply } = await client.call('POST /v3/devices/{deviceId}/commands', {
    path: { deviceId },
    body,
  });
  expect([status, reply.details]).toEqual([202, undefined]);
  return reply.command;
}

/** Creates a mission; returns the mission in the answer. */
export async function givenMission(client: Client, file: object = missionFile) {
  const { status, body } = await client.call('POST /v3/missions', {
    headers: { 'content-type': 'application/geo+json' },
    body: file,
  });
  expect([status, body.details]).toEqual([201, undefined]);
  return body.mission;
}

/** Every pair of statuses, and whether the lifecycle has a move between them. */
export const moves = jobStatuses.flatMap((from) => jobStatuses.map((to) => ({ from, to, allowed: mayMove(from, to) })));

/** A valid identifier of nothing. */
export const nobodys = (id: string) => id.replace(/.{6}$/, '000000');

/** Body of a 403 with its cause. */
export const forbiddenAt = (path: string, message: unknown) => ({ error: 'Forbidden', details: [{ path, message }] });

/** Body of the 403 for another organisation's resource that this field names. */
export const foreignAt = (path: string) => forbiddenAt(path, "is not your organisation's");

/** The refusal of one field. */
export const invalidAt = (path: string, message: unknown = expect.any(String)) => ({
  status: 400,
  body: { error: 'invalid_request', details: expect.arrayContaining([{ path, message }]) as unknown },
});

/** Two waypoints, 40 m above the take-off point. */
export const missionFile = {
  type: 'Feature',
  geometry: {
    type: 'LineString',
    coordinates: [
      [8.5417, 47.3769, 40],
      [8.5432, 47.3774, 40],
    ],
  },
  properties: { name: 'Along the fence', heightReference: 'TAKE_OFF' },
};

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

/** Makes a share expire, which would take at least a minute; its item stays, as it does until DynamoDB's TTL deletes it. */
export async function expire(shareCode: string): Promise<void> {
  await database().send(
    new UpdateCommand({
      TableName: await tableNamed('Shares'),
      Key: { organisation: organisationOf('share', shareCode), shareCode },
      UpdateExpression: 'SET expiresAt = :past',
      ConditionExpression: 'attribute_exists(shareCode)',
      ExpressionAttributeValues: { ':past': new Date(Date.now() - 1).toISOString() },
    }),
  );
}
