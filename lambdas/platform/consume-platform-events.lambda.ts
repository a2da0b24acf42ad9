import type { SQSBatchResponse } from 'aws-lambda';
import * as z from 'zod/mini';
import { MAX_RETRIES } from '../../contract/platform/event-retries';
import { readCommandDeadline } from '../../data/commands/schedule-command-deadline';
import { readTakeDeadline } from '../../data/jobs/schedule-take-deadline';
import { sendToQueue } from '../../data/store/queue';
import { timeOutCommand } from '../commands/end-command';
import { failUntakenJob } from '../jobs/fail-jobs';
import { $ZodError } from 'zod/v4/core';
import { MOST_TOLD, platformEnvelope } from '../../contract/platform/platform-envelope';
import { inboundEvents, type InboundDetail, type InboundEventType } from '../../domain/platform/inbound-events';
import { describeFault } from '../../contract/terms/validation-messages';
import { sendToDeadLetterQueue } from '../../data/platform/send-to-dead-letter-queue';
import { invalid, Refusal, type Detail } from '../../domain/values/refusal';
import { readable, toDetails } from '../runtime/details';
import { about, namedIn } from '../runtime/subject';
import { detailLines, EventTooEarly, type Drop, type Occurrence } from './occurrence';
import { platformEventHandlers } from './platform-event-handlers';
import { dropReasons } from '../../domain/platform/drop-reason';
import { publishPlatformEvent } from '../../data/platform/publish-to-platform';
import { organisationId, organisationOf, type Kind } from '../../domain/values/id';
import { limitRate } from '../../data/access/rate-limit';
import { logger } from '../runtime/logger';

/** When an event is tried again that could not be applied, in s; and one whose predecessor has not been applied yet. */
const RETRY_AFTER_S = 30;
const EARLY_RETRY_AFTER_S = 2;

const received = z.object({
  messageId: z.string(),
  body: z.string(),
  attributes: z.object({ ApproximateReceiveCount: z.coerce.number() }),
});

/** What the queue of retries sends; an event of the bus has no such field. */
const batch = z.object({ Records: z.array(received) });
type Batch = z.output<typeof batch>;

/**
 * Applies an event of the bus, or puts it into the queue of retries.
 * @throws when the queue does not accept it: Lambda retries
 */
async function receive(event: object): Promise<void> {
  try {
    await applyPlatformEvent({ parse: () => event, text: () => JSON.stringify(event) });
  } catch (error) {
    const isEarly = error instanceof EventTooEarly;
    const rest = isEarly ? (error.rest ?? event) : event;
    await sendToQueue('RETRY_QUEUE_URL', rest, isEarly ? EARLY_RETRY_AFTER_S : RETRY_AFTER_S);
    if (isEarly) logger.info('early report is retried', { eventId: error.message });
    else logger.warn('platform event is retried from the queue', { error });
  }
}

/**
 * Puts what is early of an event into the queue in its place, since the rest of it is done.
 * @returns whether the queue accepted it
 */
const requeued = (rest: object): Promise<boolean> =>
  sendToQueue('RETRY_QUEUE_URL', rest, EARLY_RETRY_AFTER_S).then(
    () => true,
    () => false,
  );

/** What a deadline in the queue is about: a job that nobody took, or a command; undefined for an event of the platform. */
function deadlineIn(body: string) {
  try {
    const message: unknown = JSON.parse(body);
    const [jobId, command] = [readTakeDeadline(message), readCommandDeadline(message)];
    return jobId === undefined && !command ? undefined : { jobId, command };
  } catch {
    return undefined;
  }
}

/** Applies a deadline. @param id of its message */
async function applyDeadline(
  { jobId, command }: NonNullable<ReturnType<typeof deadlineIn>>,
  id: string,
): Promise<void> {
  const now = new Date();
  if (jobId !== undefined) await failUntakenJob(jobId, `deadline/${id}`, now);
  if (command) await timeOutCommand(command, now);
}

/** Applies the events of a batch in the order of arrival. */
async function retry({ Records }: Batch): Promise<SQSBatchResponse> {
  const batchItemFailures: { itemIdentifier: string }[] = [];
  for (const { messageId, body, attributes } of Records) {
    const isLastAttempt = attributes.ApproximateReceiveCount >= MAX_RETRIES;
    try {
      const deadline = deadlineIn(body);
      if (deadline) await applyDeadline(deadline, messageId);
      else await applyPlatformEvent({ parse: () => JSON.parse(body) as unknown, text: () => body, isLastAttempt });
    } catch (error) {
      const isRequeued = error instanceof EventTooEarly && error.rest !== undefined && (await requeued(error.rest));
      if (!isRequeued) batchItemFailures.push({ itemIdentifier: messageId });
      if (error instanceof EventTooEarly) logger.info('early report is retried', { eventId: error.message });
      else logger.error('platform event could not be processed', { error });
    }
  }
  return { batchItemFailures };
}

/**
 * An event of the drone platform, or a batch of the queue of those to try again, and of deadlines → jobs, fleet and
 * telemetry. A malformed event is sent to the dead-letter queue at once; one that can't be processed is retried from
 * the queue, and moved there in the end.
 */
export async function handler(event: object): Promise<SQSBatchResponse | undefined> {
  const queued = batch.safeParse(event);
  if (queued.success) return retry(queued.data);
  await receive(event);
  return undefined;
}

/** An event as it arrived. */
interface ReceivedEvent {
  /** @throws SyntaxError for a text that is not JSON */
  parse(): unknown;
  text(): string;
  /** Whether it is not tried again: what is still too early is dropped then. Default: false. */
  readonly isLastAttempt?: boolean;
}

type Envelope = z.output<typeof platformEnvelope>;

/**
 * Applies an event of the drone platform. One that can never be applied is sent to the dead-letter queue, unchanged and with the
 * reason; the platform is told.
 * @throws EventTooEarly, or any other error, when a retry may succeed
 */
async function applyPlatformEvent(received: ReceivedEvent): Promise<void> {
  const now = new Date();
  let event: Envelope;
  let input: unknown;
  try {
    input = received.parse();
    event = platformEnvelope.parse(input);
  } catch (error) {
    await sendToDeadLetterQueue(received.text(), error instanceof Error ? error.message : String(error));
    logger.warn('what arrived from the bus is no event of the platform', { reason: 'malformed' });
    return;
  }
  await about({ eventId: event.id, ...namedIn(event.detail) }, () => applyOrDrop(event, input, received, now));
}

/** {@link applyPlatformEvent} for what is one. @param input as it arrived */
async function applyOrDrop(event: Envelope, input: unknown, received: ReceivedEvent, now: Date): Promise<void> {
  const reported = { id: event.id, type: event['detail-type'], detail: event.detail };
  try {
    const drop = await apply(event, {
      id: event.id,
      at: event.time,
      now,
      isLastAttempt: received.isLastAttempt ?? false,
      with: (detail) => ({ ...(input as object), detail }),
    });
    if (drop) await tellDropped(reported, drop, now);
  } catch (error) {
    const isGivenUp = error instanceof EventTooEarly && received.isLastAttempt === true;
    if (error instanceof EventTooEarly && error.drop) await tellDropped(reported, error.drop, now);
    const drop = isGivenUp ? ({ reason: 'early' } as const) : dropOf(error);
    if (!drop) throw error;
    const { reason, details = [] } = drop;
    await sendToDeadLetterQueue(received.text(), details.length > 0 ? detailLines(details) : reason);
    await tellDropped(reported, drop, now);
  }
}

const apply = ({ 'detail-type': type, detail }: Envelope, occurrence: Occurrence): Promise<Drop | undefined> => {
  if (!isInboundEvent(type)) throw invalid('detail-type', 'is none of this service');
  return applyAs(type, parseDetail(type, detail), occurrence);
};

const applyAs = <Type extends InboundEventType>(type: Type, detail: InboundDetail<Type>, occurrence: Occurrence) =>
  platformEventHandlers[type](detail, occurrence);

/** The validated detail of an event. @throws ZodError, with messages for the people of the platform */
const parseDetail = <Type extends InboundEventType>(type: Type, detail: unknown): InboundDetail<Type> =>
  schemas[type].parse(detail, { error: describeFault });

/** `inboundEvents`, typed so that each schema yields its handler's input: TypeScript can't infer that from the table. */
const schemas: { readonly [Type in InboundEventType]: z.ZodMiniType<InboundDetail<Type>> } = inboundEvents;

const isInboundEvent = (type: string): type is InboundEventType => Object.hasOwn(schemas, type);

/** What an error says of an event that can never be applied; undefined when a retry may succeed. */
function dropOf(error: unknown): Drop | undefined {
  if (error instanceof $ZodError) return { reason: 'malformed', details: toDetails(error) };
  return error instanceof Refusal ? { reason: 'malformed', details: detailsOf(error) } : undefined;
}

const detailsOf = ({ code, details }: Refusal): readonly Detail[] =>
  details.length > 0 ? details : [{ path: '', message: code }];

/** An event of the platform, as far as it could be read. */
interface ReportedEvent {
  readonly id: string;
  readonly type: string;
  readonly detail: unknown;
}

const kinds = { jobId: 'job', deviceId: 'device', deviceGroupId: 'group' } as const satisfies Record<string, Kind>;

/** The resources that an event names, and their organisation; what is no identifier of this service is left out. */
function subjectOf(detail: unknown): Readonly<Record<string, string>> {
  const named = Object.entries(kinds).flatMap(([field, kind]) => {
    const id = (detail as Record<string, unknown> | null | undefined)?.[field];
    const organisation = typeof id === 'string' ? organisationOf(kind, id) : undefined;
    return organisation ? [{ field, id: id as string, organisation }] : [];
  });
  const [first] = named;
  const owner = first ? { organisationId: organisationId(first.organisation) } : {};
  return { ...owner, ...Object.fromEntries(named.map(({ field, id }) => [field, id])) };
}

/** Logs that an event was dropped, and tells the platform by `report.rejected`, unless that is normal. Never fails. */
async function tellDropped({ id, type, detail }: ReportedEvent, { reason, details = [] }: Drop, now: Date) {
  const subject = subjectOf(detail);
  logger.warn('a report changed nothing', { reason, type: type.slice(0, 64) });
  if (!dropReasons[reason].isTold) return;
  try {
    await limitRate('platform#rejected', MOST_TOLD, now);
    await publishPlatformEvent('report.rejected', {
      eventId: `${id}/rejected`,
      at: now.toISOString(),
      ...subject,
      reportId: id,
      reportType: type.slice(0, 64),
      reason,
      details: readable(details),
    });
  } catch (error) {
    if (!(error instanceof Refusal))
      logger.warn('the platform was not told of a report that changed nothing', { error });
  }
}
