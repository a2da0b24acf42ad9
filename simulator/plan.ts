/** Failures that a partner can ask for with the job's `metadata.simulate`. */
export const failures = ['link-loss', 'low-battery', 'dock-fault', 'abort'] as const;
export type Failure = (typeof failures)[number];

/** What a mission makes of its job, and when, in seconds of the mission. */
export interface Report {
  readonly at: number;
  readonly status: 'QUEUED' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
}

/** The parts of a mission by when they begin, in seconds. */
export const DOCK_OPENS = 2;
export const TAKE_OFF = 5;
export const CRUISE = 15;
export const DESCENT = 57;
export const TOUCH_DOWN = 67;
export const DOCKED = 71;
/** The link is lost at the first and given up at the second. */
export const LINK_LOST = 30;
const LINK_GIVEN_UP = 45;
/** The dock that does not open is noticed. */
export const DOCK_FAULT = 10;

const ends: Readonly<Record<Failure | 'none', Report>> = {
  none: { at: DOCKED, status: 'COMPLETED' },
  'link-loss': { at: LINK_GIVEN_UP, status: 'FAILED' },
  'low-battery': { at: DOCKED, status: 'FAILED' },
  'dock-fault': { at: DOCK_FAULT, status: 'FAILED' },
  abort: { at: DOCKED, status: 'FAILED' },
};

/** What a mission reports, in order. */
export function reportsOf(failure: Failure | undefined): readonly Report[] {
  const started: Report[] = failure === 'dock-fault' ? [] : [{ at: TAKE_OFF, status: 'IN_PROGRESS' }];
  return [{ at: 0, status: 'QUEUED' }, ...started, ends[failure ?? 'none']];
}

/** When the device is free again: one whose link was lost comes home by itself. */
export const freeAt = (failure: Failure | undefined) => (failure === 'dock-fault' ? DOCK_FAULT + 5 : DOCKED + 2);
