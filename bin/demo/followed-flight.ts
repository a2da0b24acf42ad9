import type { DroneMissionClient } from 'drone-mission-client';
import { followDevice, followJob, subscribeToJob } from './channels';
import type { Narrator } from './narrator';
import type { RunningStack } from './running-stack';

type Channel = 'MQTT' | 'WebSocket';

/** What to follow. */
interface Flight {
  readonly stack: RunningStack;
  readonly client: DroneMissionClient;
  readonly clientId: string;
  readonly jobId: string;
  readonly deviceId: string;
}

/** A job and its drone, followed over MQTT and over WebSockets at the same time. */
export class FollowedFlight {
  readonly #states: Readonly<Record<Channel, Set<string>>> = { MQTT: new Set(), WebSocket: new Set() };
  readonly #stop = new AbortController();
  /** Metres above mean sea level. */
  #altitudes: number[] = [];
  #failure: Error | undefined;
  #disconnect = () => Promise.resolve();
  samples = 0;

  constructor(private readonly narrator: Narrator) {}

  /** Follows until {@link end}. @throws Error when the MQTT broker refuses */
  async begin({ stack, client, clientId, jobId, deviceId }: Flight): Promise<void> {
    this.#disconnect = await subscribeToJob(stack, client, clientId, jobId, (state) => this.#onState('MQTT', state));
    const { signal } = this.#stop;
    this.#inBackground(followJob(client, jobId, signal, (state) => this.#onState('WebSocket', state)));
    this.#inBackground(followDevice(client, deviceId, signal, (altitude) => this.#onSample(altitude)));
  }

  /** Whether both channels have told a state; over MQTT it may be a later one. @throws the error of a channel that failed */
  get hasBegun(): boolean {
    if (this.#failure) throw this.#failure;
    return Object.values(this.#states).every((seen) => seen.size > 0);
  }

  /** Whether both channels have told that the job is in a state. @throws the error of a channel that failed */
  isIn(state: string): boolean {
    if (this.#failure) throw this.#failure;
    return Object.values(this.#states).every((seen) => seen.has(state));
  }

  /** The states that MQTT told of, in their order. */
  get states(): readonly string[] {
    return [...this.#states.MQTT];
  }

  /** Where the drone is now, for people. */
  get position(): string {
    const [dock = 0, now = dock] = [this.#altitudes[0], this.#altitudes.at(-1)];
    return `${Math.max(0, now - dock).toFixed(0)} m above its dock, ${this.samples} samples`;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#disconnect();
  }

  #onState(channel: Channel, state: string): void {
    if (this.#states[channel].has(state)) return;
    this.#states[channel].add(state);
    this.narrator.say(channel, `the job is ${state}`);
  }

  #onSample(altitude: number | undefined): void {
    this.samples += 1;
    if (altitude !== undefined) this.#altitudes.push(altitude);
  }

  /** A channel that fails ends the demo when it next waits; the end of the demo is no failure. */
  #inBackground(following: Promise<void>): void {
    following.catch((error: unknown) => {
      if (!this.#stop.signal.aborted) this.#failure ??= error instanceof Error ? error : new Error(String(error));
    });
  }
}
