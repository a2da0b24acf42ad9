/** Who holds the control of a device: for a while, one client of the organisation or one viewer of a share. */
import * as z from 'zod/mini';
import type { CommandRecord, Requester } from './command-record';
import { passesLease } from './stops';
import { Refusal } from '../values/refusal';

/** How long a lease lasts unless it is renewed, in seconds. */
export const LEASE_S = 60;

/** A lease as it is stored. It is over at `until` (ISO 8601) by the service's clock, with nobody noticing. */
export const controlLease = z.object({
  origin: z.enum(['partner', 'share'] satisfies CommandRecord['origin'][]),
  /** The client id of the holder; of a viewer its pseudonym, one for each socket. */
  heldBy: z.string(),
  /** Of a viewer: a digest of the share code. */
  shareId: z.optional(z.string()),
  /** Of a viewer: the lease ends with this share. It gives access, so it is part of no answer. */
  shareCode: z.optional(z.string()),
  until: z.string(),
});
export type ControlLease = z.output<typeof controlLease>;

/** Who may hold a device: everybody who commands it but this service. */
export type Claimant = Omit<ControlLease, 'until'>;

/** Who asks, as far as a lease goes by it. */
export type Asking = Pick<Requester, 'origin' | 'requestedBy'>;

/** The lease that a claimant gets now. @param now ISO 8601 */
export const newLease = (claimant: Claimant, now: string): ControlLease => ({
  ...claimant,
  until: new Date(Date.parse(now) + LEASE_S * 1000).toISOString(),
});

/** Whether it has not been renewed in time. @param now ISO 8601 */
export const isOver = ({ until }: ControlLease, now: string): boolean => until <= now;

/** Whether somebody has it. */
const isHeldBy = ({ origin, heldBy }: ControlLease, asking: Asking): boolean =>
  origin === asking.origin && heldBy === asking.requestedBy;

/** Whether a lease keeps somebody from anything: the partner outranks the viewers of its shares, and this service everybody. */
export const keepsOut = (lease: ControlLease, asking: Asking): boolean =>
  !isHeldBy(lease, asking) && asking.origin !== 'service' && (asking.origin === 'share' || lease.origin === 'partner');

/**
 * Why a command is refused since somebody else holds the device; undefined when it is not.
 * @param lease the lease that is in force
 */
export function whyLeaseRefuses(asking: Asking, name: string, lease: ControlLease | undefined): Refusal | undefined {
  if (passesLease(name, asking.origin)) return undefined;
  return whyLeaseStays(asking, lease);
}

/**
 * Why somebody can neither take nor end the lease of a device; undefined when they can.
 * @param lease the lease that is in force
 */
export const whyLeaseStays = (asking: Asking, lease: ControlLease | undefined): Refusal | undefined =>
  lease && keepsOut(lease, asking) ? heldByAnother(lease, asking) : undefined;

/** Somebody else holds the device. A viewer is a stranger to the organisation, so it learns of no client. */
export function heldByAnother({ origin, heldBy: holder, until }: ControlLease, asking: Asking): Refusal {
  if (asking.origin === 'partner')
    return new Refusal('held_by', [{ path: 'deviceId', message: `is held by ${holder} until ${until}` }]);
  const who = origin === 'partner' ? 'the partner' : 'another viewer';
  return new Refusal('held_by', [{ path: '', message: `the device is held by ${who} until ${until}` }]);
}
