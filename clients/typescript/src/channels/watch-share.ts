import { ApiError, DroneMissionError } from '../errors.ts';
import type { CallOptions } from '../http/rest.ts';
import type { components } from '../messages.ts';
import { addressOf } from '../options.ts';
import type { DeviceFlight, DroneCommand, LiveVideo, ShareViewerMessage } from '../types.ts';
import type { Channel, FollowOptions } from './connection.ts';
import { follow } from './follow.ts';
import { Questions } from './questions.ts';
import type { OpenSocket } from './socket.ts';

/** A share, as a link names it. */
export interface WatchedShare {
  /** The address of the channels, `wss://…`. */
  readonly wsUrl: string;
  /** The last part of the share link. */
  readonly shareCode: string;
}

/** What a viewer sees, and what a viewer may do while it is read. */
export interface ShareView extends AsyncGenerator<ShareViewerMessage, void, undefined> {
  /**
   * Sends a command to the drone, once: nothing is repeated. Needs a share with the permission `control`.
   * @returns the `requestId` that its `control.outcome` will have; the command was sent, not yet executed
   * @throws ApiError with a `code`, ConnectionError, the reason of the signal
   */
  control(command: DroneCommand, options?: CallOptions): Promise<string>;
  /**
   * Holds the control of the drone for a minute: commands of other viewers are refused. Call it again to go on holding
   * it; it ends with the connection, too.
   * @returns until when, ISO 8601
   * @throws ApiError with a `code` (`held_by` when somebody else holds it), ConnectionError, the reason of the signal
   */
  takeControl(options?: CallOptions): Promise<string>;
  /**
   * Ends what `takeControl` began.
   * @throws ApiError with a `code` (`held_by` when somebody else holds it), ConnectionError, the reason of the signal
   */
  releaseControl(options?: CallOptions): Promise<void>;
  /**
   * A new address of the live video, for when that of `share.playback` ends. Needs a share of the type `STREAM`.
   * @returns null when the device has no video
   * @throws ApiError with a `code`, ConnectionError, the reason of the signal
   */
  playback(options?: CallOptions): Promise<LiveVideo | null>;
  /**
   * The names of the device and its job, and the flight that it is in: take-off and track, oldest position first.
   * @returns an empty `track` when the device is not in flight
   * @throws ApiError with a `code`, ConnectionError, the reason of the signal
   */
  flight(options?: CallOptions): Promise<DeviceFlight>;
}

const SUBJECT = 'Watching a share';

/**
 * Subprotocols of share pages: the service accepts the handshake and selects the one that says what it would have answered,
 * since a browser can't read the status of a handshake that fails.
 */
const WATCHING = 'share';
const refusals: Readonly<Record<string, { readonly status: number; readonly error: string; readonly hint: string }>> = {
  'share.not-found': {
    status: 404,
    error: 'Share not found',
    hint: 'It has expired or was revoked, or the code is wrong',
  },
  'share.full': { status: 429, error: 'Too many viewers', hint: 'Try again when another viewer has left' },
};

function refusalOf(protocol: string): ApiError | undefined {
  const refused = refusals[protocol];
  return refused && new ApiError(SUBJECT, refused, refused.hint);
}

const WATCHDOG = { pingAfterMs: 60_000, pongWithinMs: 10_000 };
const MAX_RETRIES = 4;
const ANSWER_WITHIN_MS = 30_000;

type Accepted = components['schemas']['AcceptedMessage'];
type ControlTaken = components['schemas']['ControlTakenMessage'];
type Playback = components['schemas']['SharePlaybackMessage'];
type Flight = components['schemas']['ShareFlightMessage'];

/**
 * What a viewer of a share link sees, without a token: the share, its video, the device's last known state and every sample.
 * Ends when the share is revoked or expires.
 * @throws ApiError, ConnectionError, the reason of the signal
 */
export const watchShareWith =
  (open: OpenSocket) =>
  ({ wsUrl, shareCode }: WatchedShare, options: FollowOptions = {}): ShareView => {
    if (!shareCode) throw new DroneMissionError('shareCode is missing: it is the last part of the share link.');
    const url = `${addressOf('wsUrl', wsUrl)}/telemetry?shareCode=${encodeURIComponent(shareCode)}`;
    const questions = new Questions(ANSWER_WITHIN_MS);
    const channel: Channel = {
      url,
      subject: SUBJECT,
      protocols: [WATCHING, ...Object.keys(refusals)],
      refusalOf,
      questions,
      isLast: ({ shareState }) => shareState === 'REVOKED' || shareState === 'EXPIRED',
    };
    const settings = { open, tokens: undefined, watchdog: WATCHDOG, maxRetries: MAX_RETRIES };
    async function* messages() {
      try {
        yield* follow<ShareViewerMessage>(channel, { ...settings, answerWithinMs: ANSWER_WITHIN_MS }, options);
      } finally {
        questions.end();
      }
    }
    return Object.assign(messages(), {
      control: async (command: DroneCommand, { signal }: CallOptions = {}) =>
        (await questions.ask<Accepted>('The command', { action: 'control', command }, signal)).requestId,
      takeControl: async ({ signal }: CallOptions = {}) =>
        (await questions.ask<ControlTaken>('The control', { action: 'takeControl' }, signal)).until,
      releaseControl: async ({ signal }: CallOptions = {}) => {
        await questions.ask('The release of the control', { action: 'releaseControl' }, signal);
      },
      playback: async ({ signal }: CallOptions = {}) =>
        (await questions.ask<Playback>('The live video', { action: 'playback' }, signal)).playback,
      flight: async ({ signal }: CallOptions = {}) => {
        const {
          type: _type,
          id: _id,
          ...flight
        } = await questions.ask<Flight>('The flight', { action: 'flight' }, signal);
        return flight;
      },
    });
  };
