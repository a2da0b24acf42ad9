/** The control of a device, which one client or one viewer may hold. */
import { saveControl } from '../../data/commands/command-head';
import {
  newLease,
  whyLeaseStays,
  type Asking,
  type Claimant,
  type ControlLease,
} from '../../domain/commands/control-lease';
import { decideByHead } from './decide-by-head';

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
  return decideByHead({ deviceId, asking, now }, async (head, before) => {
    const refusal = whyLeaseStays(asking, before);
    if (refusal) throw refusal;
    const lease = newLease(claimant, now);
    if (head.control?.heldBy !== claimant.heldBy) await beforeFirst?.();
    return (await saveControl(deviceId, head, lease)) ? lease : undefined;
  });
}

/** Ends the lease of a device if this viewer has it. @param heldBy the viewer's pseudonym @param now ISO 8601 */
export const endLeaseOfViewer = (deviceId: string, heldBy: string, now: string): Promise<true> =>
  decideByHead(
    { deviceId, now },
    async (head) => head.control?.heldBy !== heldBy || (await saveControl(deviceId, head, undefined)) || undefined,
  );

/**
 * Ends the lease of a device, if it has one.
 * @param now ISO 8601
 * @throws Refusal `held_by`; `too_many_requests` when others keep commanding the device
 */
export function endLease(deviceId: string, asking: Asking, now: string): Promise<true> {
  return decideByHead({ deviceId, asking, now }, async (head, lease) => {
    const refusal = whyLeaseStays(asking, lease);
    if (refusal) throw refusal;
    return !head.control || (await saveControl(deviceId, head, undefined)) || undefined;
  });
}
