/**
 * Replaces `@smithy/core/event-streams` in the bundles. No function here calls an operation with an event stream, but Lambda's
 * client prepares for them when it is created. The original adds 7 ms to the first call of `GET /v3/jobs/{jobId}` and
 * 19 kB to its bundle.
 */
function refuse(): never {
  throw new Error('No function here calls an operation with an event stream');
}

export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;
export const eventStreamSerdeProvider = refuse;
export const EventStreamSerde = refuse;
