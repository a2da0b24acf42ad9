import * as z from 'zod/mini';
import { $ZodError } from 'zod/v4/core';
import {
  dropReasons,
  inboundEvents,
  platformEnvelope,
  type DropReason,
  type InboundDetail,
  type InboundEventType,
} from '../../contract/platform';
import { describeFault } from '../../contract/validation-messages';
import { registerDevice, registerGroup, removeFromFleet } from '../../data/fleet/fleet-registry';
import { reportStatus } from '../../data/jobs/reported-status';
import { sendToDeadLetterQueue } from '../../data/platform/dead-letter-queue';
import { organisationOf, type Kind, type Organisation } from '../../domain/id';
import { invalid, Refusal, type Detail } from '../../domain/refusal';
import { Unreadable } from '../../domain/judged';
import type { Sample } from '../../domain/telemetry';
import { allSettled } from '../concurrency';
import { faultsIn } from '../details';
import { logger } from '../logger';
import { acceptTelemetry } from '../telemetry/accept-telemetry';
import { publishControlOutcome } from './publish-control-outcome';

/** An event as it arrived. */
export interface ReceivedEvent {
  /** @throws SyntaxError for a text that is not JSON */
  parse(): unknown;
  text(): string;
  /** Whether it is not tried again: what is still too early is dropped then. Default: false. */
  readonly isLastAttempt?: boolean;
}

/**
 * Applies an event of the drone platform. A malformed one is sent to the dead-letter queue, unchanged and with the reason.
 * @throws EventTooEarly, or any other error, when a retry may succeed
 */
export async function consumePlatformEvent(event: ReceivedEvent): Promise<void> {
  try {
    await apply(event.parse(), event.isLastAttempt ?? false);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    await sendToDeadLetterQueue(event.text(), reasonOf(error));
    logger.warn('platform event sent to the dead-letter queue', { reason: dropReasonOf(error) });
  }
}

/** A report whose predecessor, or the registration of whose device, has not arrived yet; the error message is the event's id. */
export class EventTooEarly extends Error {
  override readonly name = 'EventTooEarly';

  /** @param rest the event with what is to be tried again, if that is not all of it */
  constructor(
    id: string,
    readonly rest?: object,
  ) {
    super(id);
  }
}

async function apply(event: unknown, isLastAttempt: boolean): Promise<void> {
  const { id, 'detail-type': type, time, detail } = platformEnvelope.parse(event);
  if (!isInboundEvent(type)) throw new Refusal('unknown_action', [{ path: 'detail-type', message: type.slice(0, 64) }]);
  const now = new Date();
  // A sender's clock that is ahead must not make all later events look late.
  const at = new Date(Math.min(Date.parse(time), now.getTime()));
  const occurrence = { id, at, now, isLastAttempt, with: (other: object) => ({ ...(event as object), detail: other }) };
  const dropped = await applyPlatformEvent(type, parseDetail(type, detail), occurrence);
  if (dropped) logger.warn('a report changed nothing', { type, reason: dropped, eventId: id });
}

/** `inboundEvents`, typed so that each schema yields its handler's input: TypeScript can't infer that from the table. */
const schemas: { readonly [Type in InboundEventType]: z.ZodMiniType<InboundDetail<Type>> } = inboundEvents;

const isInboundEvent = (type: string): type is InboundEventType => Object.hasOwn(schemas, type);

/** The validated detail of an event. @throws ZodError, with messages for the people of the platform */
const parseDetail = <Type extends InboundEventType>(type: Type, detail: unknown): InboundDetail<Type> =>
  schemas[type].parse(detail, { error: describeFault('field') });

/**
 * Applies an event of the platform. Idempotent.
 * @returns the drop reason when the event had no effect, else undefined
 * @throws Refusal when the resource that the event names does not exist; other errors are temporary
 */
const applyPlatformEvent = <Type extends InboundEventType>(
  type: Type,
  detail: InboundDetail<Type>,
  occurrence: Occurrence,
): Promise<DropReason | undefined> => handlers[type](detail, occurrence);

/** The id of an event, when it happened, and when it is applied. */
interface Occurrence {
  readonly id: string;
  readonly at: Date;
  readonly now: Date;
  readonly isLastAttempt: boolean;
  /** The same event with another detail. */
  with(detail: object): object;
}

/** The drop reason of a fleet event that was not applied, because a later one is known. */
const late = (isDone: boolean) => (isDone ? undefined : ('late' as const));

/** Applies an event of one type. Returns the drop reason when it had no effect. */
type Handler<Type extends InboundEventType> = (
  detail: InboundDetail<Type>,
  occurrence: Occurrence,
) => Promise<DropReason | undefined>;

const handlers: { readonly [Type in InboundEventType]: Handler<Type> } = {
  'job.status.reported': async ({ jobId, status, at }, { id, now }) => {
    const [time, reportedAt] = [now.toISOString(), at];
    const outcome = await reportStatus(jobId, status, `platform-${id}`, time, reportedAt < time ? reportedAt : time);
    // A standard queue keeps no order: the predecessor may arrive later.
    if (outcome === 'early') throw new EventTooEarly(id);
    return outcome === 'moved' ? undefined : outcome;
  },
  'device.telemetry.reported': ({ telemetry }, occurrence) => acceptReported(telemetry, occurrence),
  'device-group.registered': async (group, { at }) =>
    late(await registerGroup(ownerOf('group', group.deviceGroupId), group, at)),
  'device-group.removed': async ({ deviceGroupId }, { at }) =>
    late(await removeFromFleet(ownerOf('group', deviceGroupId), 'group', deviceGroupId, at)),
  'device.registered': async (device, { at }) =>
    late(await registerDevice(ownerOf('device', device.deviceId), device, at)),
  'device.removed': async ({ deviceId }, { at }) =>
    late(await removeFromFleet(ownerOf('device', deviceId), 'device', deviceId, at)),
  'control.outcome.reported': (detail, { id, now }) => publishControlOutcome(detail, id, now),
};

/** The organisation that an identifier belongs to. @throws Refusal `invalid_request` for one that this service did not issue */
function ownerOf(kind: Kind, id: string): Organisation {
  const organisation = organisationOf(kind, id);
  if (!organisation) throw invalid(`${kind}Id`, 'is not an identifier of this service');
  return organisation;
}

/** A sample that can never be accepted, as it arrived, and why. */
interface Malformed {
  readonly input: unknown;
  readonly reason: string;
}

/**
 * Accepts each organisation's samples, as if it had published them itself. A malformed one goes to the dead-letter queue alone.
 * @throws EventTooEarly with those whose device is not known yet
 */
async function acceptReported(
  telemetry: readonly (Sample | Unreadable)[],
  occurrence: Occurrence,
): Promise<DropReason | undefined> {
  const { id, at, now, isLastAttempt } = occurrence;
  const malformed: Malformed[] = [];
  const unknown: Sample[] = [];
  const own = new Map<Organisation, Sample[]>();
  for (const sample of telemetry) {
    const owner = sample instanceof Unreadable ? undefined : organisationOf('device', sample.deviceId);
    if (sample instanceof Unreadable) malformed.push({ input: sample.input, reason: linesOf(faultsIn(sample)) });
    else if (owner) own.set(owner, [...(own.get(owner) ?? []), sample]);
    else malformed.push({ input: sample, reason: 'deviceId is not an identifier of this service' });
  }
  let accepted = 0;
  const accept = async ([owner, samples]: [Organisation, Sample[]]) => {
    const acceptance = await acceptTelemetry(owner, samples, now, at);
    accepted += acceptance.accepted;
    for (const { index, isUnknown, ...fault } of acceptance.refused)
      if (isUnknown) unknown.push(samples[index] as Sample);
      else malformed.push({ input: samples[index], reason: linesOf([fault]) });
  };
  await allSettled([...own].map(accept));
  const setAside = ({ input, reason }: Malformed) =>
    sendToDeadLetterQueue(JSON.stringify(occurrence.with({ telemetry: [input] })), reason);
  await allSettled(malformed.map(setAside));
  if (malformed.length > 0)
    logger.warn('samples sent to the dead-letter queue', { reason: 'malformed', count: malformed.length, eventId: id });
  const isAll = unknown.length === telemetry.length;
  if (unknown.length > 0 && !isLastAttempt)
    throw new EventTooEarly(id, isAll ? undefined : occurrence.with({ telemetry: unknown }));
  if (unknown.length > 0) return 'unknown';
  return accepted > 0 || malformed.length > 0 ? undefined : 'late or repeated';
}

const linesOf = (details: readonly Detail[]) => details.map(({ path, message }) => `${path} ${message}`).join('; ');

/** Whether a retry can never succeed. */
const isPermanent = (error: unknown) =>
  error instanceof SyntaxError || error instanceof $ZodError || error instanceof Refusal;

const dropReasonOf = (error: unknown): DropReason =>
  (error instanceof Refusal && dropReasons.find((reason) => reason === error.code)) || 'malformed';

function reasonOf(error: unknown): string {
  if (error instanceof $ZodError) return z.prettifyError(error);
  if (error instanceof Refusal)
    return [error.code, ...(error.details.length > 0 ? [linesOf(error.details)] : [])].join('; ');
  return error instanceof Error ? error.message : String(error);
}
