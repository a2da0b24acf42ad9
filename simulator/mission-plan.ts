import type { FailureReason } from '../contract/platform';

/** Failures that a partner can request with the job's `metadata.simulate`. */
export const failures = ['link-loss', 'low-battery', 'dock-fault', 'abort'] as const;
export type Failure = (typeof failures)[number];

/** What a partner can ask of a simulated mission, in the job's `metadata`. */
export interface MissionPlan {
  /** `simulate`: how it fails. */
  readonly failure?: Failure | undefined;
  /** `simulateLaps`: how often the drone flies its loop, 1 to 100. */
  readonly laps: number;
  /** `simulateSpeed`: how many times faster than the fleet it flies, 1 to 20. */
  readonly speed: number;
}

/** The plan that a job's metadata asks for; what is missing or invalid is that of an ordinary mission. */
export function planOf(metadata: Readonly<Record<string, unknown>> = {}): MissionPlan {
  const factor = (name: string, atMost: number) => {
    const value = Math.trunc(Number(metadata[name]));
    return value >= 1 && value <= atMost ? value : 1;
  };
  return {
    failure: failures.find((one) => one === metadata['simulate']),
    laps: factor('simulateLaps', 100),
    speed: factor('simulateSpeed', 20),
  };
}

/** A status that a mission reports for its job, and when, in seconds of the mission. */
export interface Report {
  readonly at: number;
  readonly status: 'QUEUED' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
  /** Why it failed. */
  readonly reason?: FailureReason | undefined;
}

/** When each part of a mission begins, in seconds. */
export const DOCK_OPENS_S = 2;
export const TAKE_OFF_S = 5;
export const CRUISE_S = 15;
/** One lap of the loop. */
const LAP_S = 42;
/** The ends of a mission, in seconds, after its number of laps. */
export const descentS = (laps: number) => CRUISE_S + laps * LAP_S;
export const touchDownS = (laps: number) => descentS(laps) + 10;
export const dockedS = (laps: number) => descentS(laps) + 14;
/** When the link is lost, and when the mission is given up for it. */
export const LINK_LOST_S = 30;
const LINK_GIVEN_UP_S = 45;
/** When the dock is found not to open. */
export const DOCK_FAULT_S = 10;

const finalReport = ({ failure, laps }: MissionPlan): Report => {
  if (failure === 'link-loss') return { at: LINK_GIVEN_UP_S, status: 'FAILED', reason: 'LINK_LOSS' };
  if (failure === 'dock-fault') return { at: DOCK_FAULT_S, status: 'FAILED', reason: 'DOCK_FAULT' };
  if (failure === undefined) return { at: dockedS(laps), status: 'COMPLETED' };
  return { at: dockedS(laps), status: 'FAILED', reason: failure === 'abort' ? 'ABORTED' : 'LOW_BATTERY' };
};

/** What a mission reports, in order. */
export function reportsOf(plan: MissionPlan): readonly Report[] {
  const started: Report[] = plan.failure === 'dock-fault' ? [] : [{ at: TAKE_OFF_S, status: 'IN_PROGRESS' }];
  return [{ at: 0, status: 'QUEUED' }, ...started, finalReport(plan)];
}

/** When the device is available again, in seconds; one whose link was lost returns home by itself. */
export const freeAt = ({ failure, laps }: MissionPlan) =>
  failure === 'dock-fault' ? DOCK_FAULT_S + 5 : dockedS(laps) + 2;
