import type * as z from 'zod/mini';
import { inboundEvents, type DropReason, type InboundDetail, type InboundEventType } from '../../contract/platform';
import { describeFault } from '../../contract/validation-messages';
import { registerDevice, registerGroup, removeFromFleet } from '../../data/fleet/fleet-registry';
import { reportStatus } from '../../data/jobs/reported-status';
import { organisationOf, type Kind, type Organisation } from '../../domain/id';
import { invalid } from '../../domain/refusal';
import type { Sample } from '../../domain/telemetry';
import { allSettled } from '../delivery/all-settled';
import { acceptTelemetry } from '../telemetry/accept-telemetry';
import { publishControlOutcome } from './publish-control-outcome';

/** The organisation that an identifier belongs to. @throws Refusal `invalid_request` for one that this service did not issue */
function ownerOf(kind: Kind, id: string): Organisation {
  const organisation = organisationOf(kind, id);
  if (!organisation) throw invalid(`${kind}Id`, 'is not an identifier of this service');
  return organisation;
}

/** Accepts each organisation's samples, as if it had published them itself. */
async function acceptReported(
  telemetry: readonly Sample[],
  now: Date,
  reportedAt: Date,
): Promise<DropReason | undefined> {
  const owners = new Set(telemetry.map(({ deviceId }) => ownerOf('device', deviceId)));
  let accepted = 0;
  const accept = async (owner: Organisation) => {
    const own = telemetry.filter(({ deviceId }) => ownerOf('device', deviceId) === owner);
    accepted += await acceptTelemetry(owner, own, now, reportedAt);
  };
  await allSettled([...owners].map(accept));
  return accepted > 0 ? undefined : 'late or repeated';
}

/** A report whose predecessor has not arrived yet; the error message is the event's id. */
export class EventTooEarly extends Error {
  override readonly name = 'EventTooEarly';
}

/** The id of an event, when it happened, and when it is applied. */
export interface Occurrence {
  readonly id: string;
  readonly at: Date;
  readonly now: Date;
}

/** The drop reason of a fleet event that was not applied, because a later one is known. */
const late = (isDone: boolean) => (isDone ? undefined : ('late' as const));

/** Applies an event of one type. Returns the drop reason when it had no effect. */
type Handler<Type extends InboundEventType> = (
  detail: InboundDetail<Type>,
  occurrence: Occurrence,
) => Promise<DropReason | undefined>;

const handlers: { readonly [Type in InboundEventType]: Handler<Type> } = {
  'job.status.reported': async ({ jobId, status }, { id, now }) => {
    const outcome = await reportStatus(jobId, status, `platform-${id}`, now.toISOString());
    // A standard queue keeps no order: the predecessor may arrive later.
    if (outcome === 'early') throw new EventTooEarly(id);
    return outcome === 'moved' ? undefined : outcome;
  },
  'device.telemetry.reported': ({ telemetry }, { at, now }) => acceptReported(telemetry, now, at),
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

/** `inboundEvents`, typed so that each schema yields its handler's input: TypeScript can't infer that from the table. */
const schemas: { readonly [Type in InboundEventType]: z.ZodMiniType<InboundDetail<Type>> } = inboundEvents;

export const isInboundEvent = (type: string): type is InboundEventType => Object.hasOwn(schemas, type);

/** The validated detail of an event. @throws ZodError, with messages for the people of the platform */
export const parseDetail = <Type extends InboundEventType>(type: Type, detail: unknown): InboundDetail<Type> =>
  schemas[type].parse(detail, { error: describeFault('field') });

/**
 * Applies an event of the platform. Idempotent.
 * @returns the drop reason when the event had no effect, else undefined
 * @throws Refusal when the resource that the event names does not exist; other errors are temporary
 */
export const applyPlatformEvent = <Type extends InboundEventType>(
  type: Type,
  detail: InboundDetail<Type>,
  occurrence: Occurrence,
): Promise<DropReason | undefined> => handlers[type](detail, occurrence);
