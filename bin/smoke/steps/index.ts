import type { Step } from '../smoke-context';
import { commandRefusals, commandSteps } from './commands';
import { fleetSteps } from './fleet';
import { changeSteps, channelSteps } from './job-channel';
import { jobEndSteps, jobSteps, lifecycleSteps } from './jobs';
import { limitSteps, refusalSteps } from './refusals';
import { missionSteps } from './missions';
import { revokeShare, shareIsDeleted, shareSteps, viewerIsRefused, viewerIsNotified, viewShare } from './shares';
import { telemetrySteps, viewerTelemetry } from './telemetry';
import { tokenRefusals, tokenSteps } from './token';

/** All steps, in order. The last one leaves the client rate-limited. */
export const steps: readonly Step[] = [
  ...tokenSteps,
  ...fleetSteps,
  ...commandSteps,
  ...missionSteps,
  ...jobSteps,
  ...channelSteps,
  jobEndSteps.cancel,
  ...changeSteps,
  jobEndSteps.remove,
  ...lifecycleSteps,
  ...telemetrySteps,
  ...shareSteps,
  viewShare,
  viewerTelemetry,
  revokeShare,
  viewerIsNotified,
  shareIsDeleted,
  viewerIsRefused,
  ...tokenRefusals,
  ...refusalSteps,
  ...commandRefusals,
  ...limitSteps,
];
