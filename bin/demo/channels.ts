import { watchShare, type DroneMissionClient } from 'drone-mission-client';
import * as z from 'zod';
import { subscribeToTopic } from '../client/mqtt-subscription';
import { trustedCertificates } from '../client/trusted-certificates';
import type { Place } from './alarm';
import type { RunningStack } from './running-stack';

const jobStatus = z.looseObject({
  type: z.literal('job.status'),
  jobState: z.string(),
  reason: z.optional(z.string()),
});

/** The state of a job, and why it has failed. */
export interface JobStatus {
  readonly jobState: string;
  readonly reason?: string | undefined;
}

/** Follows a job over MQTTS. @returns a function that disconnects */
export async function subscribeToJob(
  { mqttUrl, caFile }: RunningStack,
  client: DroneMissionClient,
  clientId: string,
  jobId: string,
  onState: (status: JobStatus) => void,
) {
  return subscribeToTopic({
    mqttUrl,
    ca: trustedCertificates(caFile),
    clientId,
    token: await client.accessToken(),
    clientIdSuffix: 'demo',
    topic: `${jobId}/JOB/STATUS`,
    // What becomes of commands is told there, too.
    onMessage(text) {
      const { success, data } = jobStatus.safeParse(JSON.parse(text));
      if (success) onState(data);
    },
  });
}

/** Follows a job over WSS, until it has ended. */
export async function followJob(
  client: DroneMissionClient,
  jobId: string,
  signal: AbortSignal,
  onState: (status: JobStatus) => void,
): Promise<void> {
  for await (const status of client.jobs.follow(jobId, { signal })) onState(status);
}

/** Where the drone was, and when. */
export interface Sighting {
  readonly place: Place;
  /** ISO 8601. */
  readonly timestamp: string;
}

/**
 * Watches a drone by a share link, without a token, until the share ends.
 * @param onSighting gets each sample with a position, the last known one first
 */
export async function watchByLink(
  { wsUrl }: RunningStack,
  shareCode: string,
  signal: AbortSignal,
  onSighting: (sighting: Sighting) => void,
): Promise<void> {
  for await (const message of watchShare({ wsUrl, shareCode }, { signal })) {
    if (message.type !== 'device.telemetry') continue;
    const { navigation, timestamp } = message;
    const [longitude, latitude] = navigation?.position?.coordinates ?? [];
    if (longitude !== undefined && latitude !== undefined) onSighting({ place: [longitude, latitude], timestamp });
  }
}
