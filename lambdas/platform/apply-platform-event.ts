import type * as z from 'zod/mini';
import { $ZodError } from 'zod/v4/core';
import { platformEnvelope } from '../../contract/platform/platform-envelope';
import { inboundEvents, type InboundDetail, type InboundEventType } from '../../domain/platform/inbound-events';
import { describeFault } from '../../contract/terms/validation-messages';
import { sendToDeadLetterQueue } from '../../data/platform/send-to-dead-letter-queue';
import { invalid, Refusal, type Detail } from '../../domain/values/refusal';
import { toDetails } from '../runtime/details';
import { about, namedIn } from '../runtime/subject';
import { logger } from '../runtime/logger';
import { EventTooEarly, detailLines, type Drop, type Occurrence } from './occurrence';
import { platformEventHandlers } from './platform-event-handlers';
import { tellDropped } from './tell-dropped';

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
