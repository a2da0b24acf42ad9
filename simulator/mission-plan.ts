/** Failures that a partner can request with the job's `metadata.simulate`. */
export const failures = ['link-loss', 'low-battery', 'dock-fault', 'abort'] as const;
export type Failure = (typeof failures)[number];

/** A status that a mission reports for its job, and when, in seconds of the mission. */
export interface Report {
  readonly at: number;
  readonly status: 'QUEUED' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
}

/** When each part of a mission begins, in seconds. */
export const DOCK_OPENS_S = 2;
export const TAKE_OFF_S = 5;
export const CRUISE_S = 15;
export const DESCENT_S = 57;
export const TOUCH_DOWN_S = 67;
export const DOCKED_S = 71;
/** When the link is lost, and when the mission is given up for it. */
export const LINK_LOST_S = 30;
const LINK_GIVEN_UP_S = 45;
/** When the dock is found not to open. */
export const DOCK_FAULT_S = 10;

const finalReports: Readonly<Record<Failure | 'none', Report>> = {
  none: { at: DOCKED_S, status: 'COMPLETED' },
  'link-loss': { at: LINK_GIVEN_UP_S, status: 'FAILED' },
  'low-battery': { at: DOCKED_S, status: 'FAILED' },
  'dock-fault': { at: DOCK_FAULT_S, status: 'FAILED' },
  abort: { at: DOCKED_S, status: 'FAILED' },
};

/** What a mission reports, in order. */
export function reportsOf(failure: Failure | undefined): readonly Report[] {
  const started: Report[] = failure === 'dock-fault' ? [] : [{ at: TAKE_OFF_S, status: 'IN_PROGRESS' }];
  return [{ at: 0, status: 'QUEUED' }, ...started, finalReports[failure ?? 'none']];
}
/** When the device is available again, in seconds; one whose link was lost returns home by itself. */
/** When the device is free again: one whose link was lost comes home by itself. */
export const freeAt = (failure: Failure | undefined) => (failure === 'dock-fault' ? DOCK_FAULT_S + 5 : DOCKED_S + 2);
