import { inboundEvents, type DropReason, type InboundEventType } from '../../contract/platform';
import { registerDevice, registerGroup, removeFromFleet } from '../../data/fleet/fleet-registry';
import { reportStatus } from '../../data/jobs/reported-status';
import { organisationOf, type Kind, type Organisation } from '../../domain/id';
import { invalid } from '../../domain/refusal';
import type { Sample } from '../../domain/telemetry';
import { allSettled } from './all-settled';
import { acceptTelemetry } from './telemetry/accept';
import { publishControlOutcome } from './publish-control-outcome';

/** Whose it is. @throws Refusal `invalid_request` for what is no identifier of ours */
function ownerOf(kind: Kind, id: string): Organisation {
  const organisation = organisationOf(kind, id);
  if (!organisation) throw invalid(`${kind}Id`, 'is not an identifier of this service');
  return organisation;
}

/** Each organisation's own samples, as if it had published them. */
async function takeTelemetry(telemetry: readonly Sample[], now: Date, saidAt: Date): Promise<DropReason | undefined> {
  const owners = new Set(telemetry.map(({ deviceId }) => ownerOf('device', deviceId)));
  let accepted = 0;
  const take = async (owner: Organisation) => {
    const own = telemetry.filter(({ deviceId }) => ownerOf('device', deviceId) === owner);
    accepted += await acceptTelemetry(owner, own, now, saidAt);
  };
  await allSettled([...owners].map(take));
  return accepted > 0 ? undefined : 'late or repeated';
}

/** A report that builds on another one that is not there yet; the message names the event. */
export class ComesEarly extends Error {
  override readonly name = 'ComesEarly';
}

/** An event of the platform: `id` and `at` are its own, `now` is when it is applied. */
export interface InboundEvent {
  readonly detail: unknown;
  readonly id: string;
  readonly at: Date;
  readonly now: Date;
}

/** Why an event of the fleet changed nothing: something later is known. */
const late = (isDone: boolean) => (isDone ? undefined : ('late' as const));

/** How each event is applied; gives why it changed nothing, if so. */
const handlers: { readonly [Type in InboundEventType]: (event: InboundEvent) => Promise<DropReason | undefined> } = {
  'job.status.reported': async ({ detail, id, now }) => {
    const { jobId, status } = inboundEvents['job.status.reported'].parse(detail);
    const outcome = await reportStatus(jobId, status, `platform-${id}`, now.toISOString());
    // A queue keeps no order: what is missing may be behind it.
    if (outcome === 'early') throw new ComesEarly(id);
    return outcome === 'moved' ? undefined : outcome;
  },
  'device.telemetry.reported': ({ detail, at, now }) =>
    takeTelemetry(inboundEvents['device.telemetry.reported'].parse(detail).telemetry, now, at),
  'device-group.registered': async ({ detail, at }) => {
    const group = inboundEvents['device-group.registered'].parse(detail);
    return late(await registerGroup(ownerOf('group', group.deviceGroupId), group, at));
  },
  'device-group.removed': async ({ detail, at }) => {
    const { deviceGroupId } = inboundEvents['device-group.removed'].parse(detail);
    return late(await removeFromFleet(ownerOf('group', deviceGroupId), 'group', deviceGroupId, at));
  },
  'device.registered': async ({ detail, at }) => {
    const device = inboundEvents['device.registered'].parse(detail);
    return late(await registerDevice(ownerOf('device', device.deviceId), device, at));
  },
  'device.removed': async ({ detail, at }) => {
    const { deviceId } = inboundEvents['device.removed'].parse(detail);
    return late(await removeFromFleet(ownerOf('device', deviceId), 'device', deviceId, at));
  },
  'control.outcome.reported': ({ detail, id, now }) =>
    publishControlOutcome(inboundEvents['control.outcome.reported'].parse(detail), id, now),
};

export const isInboundEvent = (type: string): type is InboundEventType => Object.hasOwn(handlers, type);

/**
 * Does what an event of the platform asks for; a repeat has no further effect.
 * @returns why nothing has changed, or undefined
 * @throws ZodError, Refusal for what is malformed or concerns what isn't there; other errors pass with time
 */
export const applyPlatformEvent = (type: InboundEventType, event: InboundEvent): Promise<DropReason | undefined> =>
  handlers[type](event);
