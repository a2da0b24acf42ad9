import type * as z from 'zod/mini';
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
import { limitRate } from '../runtime/limit-rate';
import { logger } from '../runtime/logger';

/** An event as it arrived. */
export interface ReceivedEvent {
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
export async function applyPlatformEvent(received: ReceivedEvent): Promise<void> {
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
export interface ReportedEvent {
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
export async function tellDropped({ id, type, detail }: ReportedEvent, { reason, details = [] }: Drop, now: Date) {
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
