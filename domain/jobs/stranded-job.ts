/** Jobs that nobody can fly any more, since the platform changed the fleet. */
import type { Job } from './job';
import { isFlown } from './job-lifecycle';
import type { FailureReason } from './job-report';

/** A change of the fleet that may leave jobs without a device: what was removed, or where a device belongs now. */
export type FleetChange =
  | { readonly kind: 'group removed'; readonly deviceGroupId: string }
  | { readonly kind: 'device removed'; readonly deviceId: string }
  | { readonly kind: 'device moved'; readonly deviceId: string; readonly deviceGroupId: string };

type OpenJob = Pick<Job, 'status' | 'deviceGroupId' | 'deviceId'>;

/** Why an open job can't be flown after a change of the fleet; undefined when it can. A move does not end a flight. */
export function whyStranded(job: OpenJob, change: FleetChange): FailureReason | undefined {
  switch (change.kind) {
    case 'group removed':
      return job.deviceGroupId === change.deviceGroupId ? 'GROUP_REMOVED' : undefined;
    case 'device removed':
      return job.deviceId === change.deviceId ? 'DEVICE_REMOVED' : undefined;
    case 'device moved':
      return job.deviceId === change.deviceId && job.deviceGroupId !== change.deviceGroupId && !isFlown(job.status)
        ? 'DEVICE_MOVED'
        : undefined;
  }
}
