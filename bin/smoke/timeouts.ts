/** Timeouts of a run, in ms. Steps, clean-up and the longest handshake together stay below two minutes. */
export interface Timeouts {
  /** For an HTTP answer. */
  readonly answerMs: number;
  /** For a message or the end of a connection: on AWS some functions behind it may have a cold start. */
  readonly messageMs: number;
  /** For a fleet to queue a job, before it is assumed that there is none. */
  readonly fleetMs: number;
  /** For all steps together. */
  readonly runMs: number;
  /** For deleting what the steps created. */
  readonly cleanUpMs: number;
}

export const TIMEOUTS: Timeouts = {
  answerMs: 10_000,
  messageMs: 15_000,
  fleetMs: 5_000,
  runMs: 95_000,
  cleanUpMs: 15_000,
};
