import * as z from 'zod/mini';
import type { StatusMessage } from '../../domain/channels/status-message';
import { connection } from './connections';

/** The final message of the resource, as text: the resource may be deleted before messages are buffered for the connection. */
const end = z.optional(z.string());

/** Whether those who deliver may not have noticed yet that somebody follows it: its state is read once they have. */
const isUnnoticed = z.optional(z.boolean());

const snapshotRequest = z.discriminatedUnion('kind', [
  /** A new follower of a status channel; `after`: the number of the last event that it knows, when it resumes. */
  z.object({ kind: z.literal('channel'), connection, end, after: z.optional(z.int()), isUnnoticed }),
  /** A new viewer of a share; `isUnnoticed`: of its device. */
  z.object({ kind: z.literal('viewer'), connectionId: z.string(), end, isUnnoticed }),
  /** A partner's new subscription to the telemetry of a device or a group; `waiting`: of its follower. */
  z.object({
    kind: z.literal('subscription'),
    connectionId: z.string(),
    followed: z.string(),
    waiting: z.optional(z.string()),
  }),
  /**
   * The end of a share, with its final message: however many viewers it has, nobody else waits while they are told.
   * `later`: who is told when samples that are on their way have arrived; none: all, at once.
   */
  z.object({
    kind: z.literal('share-end'),
    shareCode: z.string(),
    message: z.custom<StatusMessage>(),
    later: z.optional(z.enum(['viewers', 'all'])),
  }),
]);
export type SnapshotRequest = z.output<typeof snapshotRequest>;

/** Parses the event of the invocation. @throws ZodError for one that this service never sent */
export const readSnapshotRequest = (event: unknown): SnapshotRequest => snapshotRequest.parse(event);
