/**
 * How long the story waits, in ms. Story, clean-up and the longest handshake together stay below two minutes, whatever
 * hangs.
 */
export interface Patience {
  /** For an answer over HTTP. */
  readonly answerMs: number;
  /** For a message, and for the end of a connection: on AWS some functions behind it may have to start first. */
  readonly messageMs: number;
  /** For somebody else to queue a job, before it is taken that no fleet is there. */
  readonly fleetMs: number;
  /** For all steps. */
  readonly storyMs: number;
  /** For deleting what the steps have made. */
  readonly cleanUpMs: number;
}

export const PATIENCE: Patience = {
  answerMs: 10_000,
  messageMs: 15_000,
  fleetMs: 5_000,
  storyMs: 95_000,
  cleanUpMs: 15_000,
};
