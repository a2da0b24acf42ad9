import { type DroneMissionClient, watchShare } from 'drone-mission-client';
import { metresTo } from '../../domain/dispatch/candidate';
import type { Place } from './alarm';
import { SEE_LOG, type Narrator } from './narrator';
import type { RunningStack } from './running-stack';
import * as z from 'zod';
import { subscribeToTopic } from '../client/mqtt-subscription';
import { trustedCertificates } from '../client/credentials-file';

const jobStatus = z.looseObject({
  type: z.literal('job.status'),
  jobState: z.string(),
  reason: z.optional(z.string()),
});

/** The state of a job, and why it has failed. */
interface JobStatus {
  readonly jobState: string;
  readonly reason?: string | undefined;
}

/** Follows a job over MQTTS. @returns a function that disconnects */
async function subscribeToJob(
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
async function followJob(
  client: DroneMissionClient,
  jobId: string,
  signal: AbortSignal,
  onState: (status: JobStatus) => void,
): Promise<void> {
  for await (const status of client.jobs.follow(jobId, { signal })) onState(status);
}

/** Where the drone was, and when. */
interface Sighting {
  readonly place: Place;
  /** ISO 8601. */
  readonly timestamp: string;
}

/**
 * Watches a drone by a share link, without a token, until the share ends.
 * @param onSighting gets each sample with a position, the last known one first
 */
async function watchByLink(
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

type Channel = 'MQTT' | 'WebSocket';

/** What to follow, and how. */
interface Flight {
  readonly stack: RunningStack;
  readonly client: DroneMissionClient;
  readonly clientId: string;
  readonly jobId: string;
  /** Of a share of its drone. */
  readonly shareCode: string;
  readonly alarm: Place;
}

/** Nearer than this a drone is there, in metres. */
const THERE_M = 25;

/** Why a job fails whose flight a command has ended. */
const COMMANDED = 'ABORTED_BY_COMMAND';

/** A job, followed over MQTT and over a WebSocket, and its drone, watched by a share link, all at the same time. */
export class FollowedFlight {
  readonly #states: Readonly<Record<Channel, Set<string>>> = { MQTT: new Set(), WebSocket: new Set() };
  readonly #stop = new AbortController();
  #failure: Error | undefined;
  #reason: string | undefined;
  #disconnect = () => Promise.resolve();
  #sighting: Sighting | undefined;
  #arrival: Sighting | undefined;
  /** How many positions the viewer has received. */
  sightings = 0;
  /** Whether the viewer was told that the share has ended. */
  isLinkOver = false;

  constructor(
    private readonly narrator: Narrator,
    private readonly flight: Flight,
  ) {}

  /** Follows until {@link end}. @throws Error when the MQTT broker refuses */
  async begin(): Promise<void> {
    const { stack, client, clientId, jobId, shareCode } = this.flight;
    const { signal } = this.#stop;
    this.#inBackground(followJob(client, jobId, signal, (status) => this.#onState('WebSocket', status)));
    const watched = watchByLink(stack, shareCode, signal, (sighting) => this.#onSighting(sighting));
    this.#inBackground(watched.then(() => void (this.isLinkOver = true)));
    this.#disconnect = await subscribeToJob(stack, client, clientId, jobId, (status) => this.#onState('MQTT', status));
  }

  /** Whether both channels and the viewer have been told something. @throws the error of a channel that failed */
  get hasBegun(): boolean {
    this.#expectNoFailure();
    return this.sightings > 0 && Object.values(this.#states).every((seen) => seen.size > 0);
  }

  /** Whether both channels have told that the job is in a state. @throws Error when the job or a channel failed */
  isIn(state: string): boolean {
    this.#expectNoFailure();
    return Object.values(this.#states).every((seen) => seen.has(state));
  }

  /** The first time that the viewer saw the drone at the alarm. @throws Error when it has not come there, or a channel failed */
  get arrival(): Sighting | undefined {
    if (!this.#arrival && this.isIn('COMPLETED'))
      throw new Error(`the drone has landed, and was never within ${THERE_M} m of the alarm: ${SEE_LOG}`);
    return this.#arrival;
  }

  /** How far from the alarm the viewer sees the drone, in whole metres. */
  get metres(): number {
    return this.#sighting ? Math.round(metresTo(this.#sighting.place, this.flight.alarm)) : NaN;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#disconnect();
  }

  #onState(channel: Channel, { jobState, reason }: JobStatus): void {
    if (this.#states[channel].has(jobState)) return;
    this.#states[channel].add(jobState);
    this.#reason = reason;
    this.narrator.say(channel, `the job is ${jobState}${reason === undefined ? '' : `, ${reason}`}`);
  }

  #onSighting(sighting: Sighting): void {
    this.sightings += 1;
    this.#sighting = sighting;
    if (this.metres < THERE_M) this.#arrival ??= sighting;
  }

  #expectNoFailure(): void {
    if (this.#failure) throw this.#failure;
    if (Object.values(this.#states).some((seen) => seen.has('FAILED')) && this.#reason !== COMMANDED)
      throw new Error(`the job has failed: GET /v3/jobs/${this.flight.jobId} has its reason`);
  }

  /** A channel that fails ends the demo when it next waits; the end of the demo is no failure. */
  #inBackground(following: Promise<void>): void {
    following.catch((error: unknown) => {
      if (!this.#stop.signal.aborted) this.#failure ??= error instanceof Error ? error : new Error(String(error));
    });
  }
}
