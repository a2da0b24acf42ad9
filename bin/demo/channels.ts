import type { DroneMissionClient } from 'drone-mission-client';
import * as z from 'zod';
import { subscribeToTopic } from '../client/mqtt-subscription';
import { trustedCertificates } from '../client/trusted-certificates';
import type { RunningStack } from './running-stack';

const jobStatus = z.looseObject({ jobState: z.string() });

/** Follows a job over MQTTS. @returns a function that disconnects */
export async function subscribeToJob(
  { mqttUrl, caFile }: RunningStack,
  client: DroneMissionClient,
  clientId: string,
  jobId: string,
  onState: (jobState: string) => void,
) {
  return subscribeToTopic({
    mqttUrl,
    ca: trustedCertificates(caFile),
    clientId,
    token: await client.accessToken(),
    clientIdSuffix: 'demo',
    topic: `${jobId}/JOB/STATUS`,
    onMessage: (text) => onState(jobStatus.parse(JSON.parse(text)).jobState),
  });
}

/** Follows a job over WSS, until it has ended. */
export async function followJob(
  client: DroneMissionClient,
  jobId: string,
  signal: AbortSignal,
  onState: (jobState: string) => void,
): Promise<void> {
  for await (const { jobState } of client.jobs.follow(jobId, { signal })) onState(jobState);
}

/** Follows the telemetry of a device, until the signal. @param onSample gets the altitude in metres above mean sea level */
export async function followDevice(
  client: DroneMissionClient,
  deviceId: string,
  signal: AbortSignal,
  onSample: (altitude: number | undefined) => void,
): Promise<void> {
  for await (const { navigation } of client.telemetry.follow({ deviceId }, { signal }))
    onSample(navigation?.position?.coordinates[2]);
}
