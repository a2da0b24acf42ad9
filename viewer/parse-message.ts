import * as z from 'zod/mini';
import type { SocketErrorCode } from '../contract/refusals';
import {
  controlOutcomeMessage,
  flightMessage,
  flownPlace,
  liveVideo,
  playbackMessage,
  type broadcastAccess,
} from '../contract/shares/viewer-protocol';
import { viewerShareMessage, viewerTelemetryMessage } from '../contract/channels/socket-messages';
import { trackPoint } from '../domain/telemetry/flight';
import { knownState } from '../domain/telemetry/known-state';
import { moment, text } from '../domain/values/text';

// The page's Content-Security-Policy allows no code made at run time.
z.config({ jitless: true });

/** What a value is without the fields that are undefined, so that merging it hides nothing that was known. */
const withoutUndefined = z.transform((value: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)),
);

/** The items of a list that hold. */
const holding = (item: z.ZodMiniType) =>
  z.transform((items: unknown[]) =>
    items.flatMap((one) => {
      const read = item.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );

function relax(schema: unknown): z.ZodMiniType {
  if (schema instanceof z.ZodMiniOptional) return z.catch(z.optional(relax(schema._zod.def.innerType)), undefined);
  if (schema instanceof z.ZodMiniArray) return z.pipe(z.array(z.unknown()), holding(relax(schema._zod.def.element)));
  if (schema instanceof z.ZodMiniObject && Object.keys(schema.shape).length === 0) {
    // Any fields, of one type.
    const value = schema._zod.def.catchall as z.ZodMiniType;
    return z.pipe(z.catchall(z.object({}), z.catch(z.optional(value), undefined)), withoutUndefined);
  }
  if (schema instanceof z.ZodMiniObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => [name, relax(field)] as const);
    return z.pipe(z.object(Object.fromEntries(fields)), withoutUndefined);
  }
  return schema as z.ZodMiniType;
}

/**
 * A schema for what a service of another version sends, or a device that reports nonsense: what does not hold is left out,
 * and the rest counts. An optional field is left out by itself, an item of a list too, one of any fields, and unknown
 * fields. Without a required field its object does not hold.
 */
const lenient = <Schema extends z.ZodMiniType>(schema: Schema) => relax(schema) as z.ZodMiniType<z.output<Schema>>;

/** Controls and separators of lines. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Characters without a shape, such as overrides of the direction; not the joiners, which scripts and emoji need. */
const SHAPELESS = /(?![\u200C\u200D])\p{Cf}/gu;

/**
 * Text of others for one line, where it can't turn around or break what stands beside it (Unicode Standard Annex 9, "Explicit
 * Directional Embeddings"). Empty when nothing of it can be seen.
 */
export const plainText = (text: string): string =>
  text.replace(CONTROLS, ' ').replace(SHAPELESS, '').replace(/\s+/g, ' ').trim();

/** Codes of errors that the page may be told; a service of a later version has others. */
export type ErrorCode = SocketErrorCode | 'no_video_stream';

/** Where the samples of a share with many places are published. */
export type BroadcastAccess = z.output<typeof broadcastAccess>;

/** A name that others gave: nothing when nothing of it can be seen. */
const name = z.optional(z.pipe(z.pipe(z.string(), z.transform(plainText)), text(1, Infinity)));

/** State of the share: the first message, again when the number of viewers changes, and the last one when it ends. */
const shareStatus = z.extend(
  z.partial(z.omit(viewerShareMessage, { sequence: true, shareCode: true }), {
    currentViewers: true,
    maxViewers: true,
  }),
  { expiresAt: z.optional(moment), timestamp: z.optional(moment) },
);
export type ShareStatus = z.output<typeof shareStatus>;

/**
 * What the shared device has measured, which may be of several times; `snapshot`: all that is known of it. A viewer isn't told
 * the job.
 */
const telemetry = z.extend(z.pick(viewerTelemetryMessage, { type: true, snapshot: true }), {
  ...z.omit(knownState, { jobId: true }).shape,
  droneState: name,
  dockState: name,
});
export type Telemetry = z.output<typeof telemetry>;

/** Current address of the live video; `null` with a code when there is none. */
const playback = z.extend(playbackMessage, {
  playback: z.nullable(z.extend(z.omit(liveVideo, { protocol: true }), { expiresAt: moment })),
});
export type Playback = z.output<typeof playback>;

/**
 * The flight so far, and whose it is; a server of an earlier version answers with an error instead. The take-off is missing when
 * the device is not in flight; the track begins with it, oldest first.
 */
const flightInfo = z.extend(flightMessage, {
  deviceName: name,
  jobName: name,
  place: z.optional(z.extend(flownPlace, { actionOnArrival: z.string() })),
  track: z.array(z.extend(trackPoint, { timestamp: moment })),
});
export type FlightInfo = z.output<typeof flightInfo>;

/** Answer to a message of the page, with the `id` of that message. */
const answer = <Type extends string>(type: Type) =>
  z.object({
    type: z.literal(type),
    id: z.optional(z.string()),
    requestId: z.optional(z.string()),
    code: z.optional(z.string()),
    error: name,
    details: z.optional(z.array(z.object({ message: name }))),
  });

/** Answer to a ping. A server of an earlier version does not say its time; `id`: when the page asked, in elapsed ms. */
const pong = z.object({ type: z.literal('pong'), id: z.optional(z.number()), timestamp: z.optional(moment) });
export type Pong = z.output<typeof pong>;

/** Outcome of a command, by the `requestId` of its answer `accepted`. */
const controlOutcome = z.extend(
  z.pick(controlOutcomeMessage, { type: true, requestId: true, outcome: true, reason: true }),
  // A server of an earlier version does not say it.
  { name: z.optional(z.string()) },
);
export type ControlOutcome = z.output<typeof controlOutcome>;

/** What the page reads of each type of message. */
const schemas = {
  'share.status': lenient(shareStatus),
  'device.telemetry': lenient(telemetry),
  'share.playback': lenient(playback),
  'share.flight': lenient(flightInfo),
  'control.outcome': lenient(controlOutcome),
  accepted: lenient(answer('accepted')),
  error: lenient(answer('error')),
  pong: lenient(pong),
  heartbeat: lenient(answer('heartbeat')),
};
export type Message = { [Type in keyof typeof schemas]: z.output<(typeof schemas)[Type]> }[keyof typeof schemas];
export type Answer = Extract<Message, { type: 'accepted' | 'error' | 'heartbeat' }>;

const typed = z.object({ type: z.enum(Object.keys(schemas) as [keyof typeof schemas]) });

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads a message. What of it does not hold is left out.
 * @returns undefined for a type that this page does not know, such as one of a later version, and when nothing can be said of it
 */
export function parseMessage(data: unknown): Message | undefined {
  if (typeof data !== 'string') return undefined;
  const message = json(data);
  const known = typed.safeParse(message);
  return known.success ? schemas[known.data.type].safeParse(message).data : undefined;
}
