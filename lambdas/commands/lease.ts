/** The control of a device, which one client or one viewer may hold. */
import { saveControl, type Head } from '../../data/commands/command-head';
import { readShare } from '../../data/shares/shares';
import {
  keepsOut,
  isOver,
  newLease,
  whyLeaseStays,
  type Asking,
  type Claimant,
  type ControlLease,
} from '../../domain/commands/control-lease';
import { decideByHead } from './decide-by-head';

/** A lease unless it is over: not renewed in time, or its share has ended, which is read at this moment. @param now ISO 8601 */
export async function inForce(control: ControlLease | undefined, now: string): Promise<ControlLease | undefined> {
  if (!control || isOver(control, now)) return undefined;
  const hasEnded = control.shareCode !== undefined && !(await readShare(control.shareCode, now));
  return hasEnded ? undefined : control;
}

/** The lease that somebody has to reckon with. Nobody whom it does not keep from anything reads its share. @param now ISO 8601 */
export const relevantLease = async (
  { control }: Head,
  asking: Asking,
  now: string,
): Promise<ControlLease | undefined> => (control && keepsOut(control, asking) ? inForce(control, now) : control);

/**
 * Gives a claimant the control of a device for the next minute, or for another one.
 * @param now ISO 8601
 * @param beforeFirst what is done before it holds the device that it did not hold before
 * @throws Refusal `held_by`; `too_many_requests` when others keep commanding the device
 */
export function takeLease(
  deviceId: string,
  claimant: Claimant,
  now: string,
  beforeFirst?: () => Promise<unknown>,
): Promise<ControlLease> {
  const asking = { origin: claimant.origin, requestedBy: claimant.heldBy };
  return decideByHead(deviceId, async (head) => {
    const refusal = whyLeaseStays(asking, await relevantLease(head, asking, now));
    if (refusal) throw refusal;
    const lease = newLease(claimant, now);
    if (head.control?.heldBy !== claimant.heldBy) await beforeFirst?.();
    return (await saveControl(deviceId, head, lease)) ? lease : undefined;
  });
}

/** Ends the lease of a device if this viewer has it. @param heldBy the viewer's pseudonym */
export const endLeaseOfViewer = (deviceId: string, heldBy: string): Promise<true> =>
  decideByHead(
    deviceId,
    async (head) => head.control?.heldBy !== heldBy || (await saveControl(deviceId, head, undefined)) || undefined,
  );

/**
 * Ends the lease of a device, if it has one.
 * @param now ISO 8601
 * @throws Refusal `held_by`; `too_many_requests` when others keep commanding the device
 */
export function endLease(deviceId: string, asking: Asking, now: string): Promise<true> {
  return decideByHead(deviceId, async (head) => {
    const refusal = whyLeaseStays(asking, await relevantLease(head, asking, now));
    if (refusal) throw refusal;
    return !head.control || (await saveControl(deviceId, head, undefined)) || undefined;
  });
}
