import type { ChannelSettings } from './channels/connection.ts';
import { StatusChannels } from './channels/follow.ts';
import type { OpenSocket } from './channels/socket.ts';
import { bodyOf, createRest, type CallOptions, type Rest } from './http/rest.ts';
import { issueToken, suppliedToken, TokenSource } from './http/token-source.ts';
import { settingsFrom, type ClientOptions } from './options.ts';
import { DeviceGroups } from './resources/device-groups.ts';
import { Devices } from './resources/devices.ts';
import { Events } from './resources/events.ts';
import { Jobs } from './resources/jobs.ts';
import { Missions } from './resources/missions.ts';
import { Shares } from './resources/shares.ts';
import { Telemetry } from './resources/telemetry.ts';
import type { Limits } from './types.ts';

/** How long a ping waits for its answer, in ms. */
const PONG_WITHIN_MS = 10_000;

/** A client of the Drone Mission Integration API; the entry points give it the WebSocket of their platform. */
export class Client {
  readonly jobs: Jobs;
  readonly missions: Missions;
  readonly shares: Shares;
  readonly devices: Devices;
  readonly deviceGroups: DeviceGroups;
  readonly telemetry: Telemetry;
  readonly events: Events;
  /** The REST API by path, typed, for what the other properties do not offer. It returns errors instead of throwing them. */
  readonly rest: Rest;
  readonly #tokens: TokenSource;

  /** @throws DroneMissionError that names the option which is missing or wrong */
  constructor(options: ClientOptions, open: OpenSocket) {
    const { baseUrl, wsUrl, access, pingAfterMs, maxRetries, ...sending } = settingsFrom(options);
    const rules = { ...sending, maxRetries };
    const request = 'token' in access ? suppliedToken(access.token) : issueToken(baseUrl, access, rules);
    this.#tokens = new TokenSource(request);
    this.rest = createRest(baseUrl, this.#tokens, rules);
    const settings: ChannelSettings = {
      open,
      tokens: this.#tokens,
      watchdog: { pingAfterMs, pongWithinMs: Math.min(PONG_WITHIN_MS, pingAfterMs) },
      maxRetries,
      answerWithinMs: rules.timeoutMs,
    };
    const channels = new StatusChannels(settings, wsUrl);
    this.jobs = new Jobs(this.rest, channels);
    this.missions = new Missions(this.rest);
    this.shares = new Shares(this.rest, channels);
    this.devices = new Devices(this.rest);
    this.deviceGroups = new DeviceGroups(this.rest, channels);
    this.telemetry = new Telemetry(channels);
    this.events = new Events(this.rest, rules.timeoutMs);
  }

  /**
   * An access token with enough time left, such as the password of an MQTTS connection.
   * @throws ApiError, ConnectionError
   */
  async accessToken({ signal }: CallOptions = {}): Promise<string> {
    return (await this.#tokens.get(signal)).token;
  }

  /** Every limit of the client with what is left of it; asking uses up nothing. @throws ApiError, ConnectionError */
  async limits(options: CallOptions = {}): Promise<Limits> {
    return (await bodyOf('GET /v3/limits', this.rest.GET('/v3/limits', { ...options }))).limits;
  }

  /** Closes what is open for publishing. What is followed is ended by its own signal or by `break`. */
  close(): void {
    this.telemetry.close();
  }
}
