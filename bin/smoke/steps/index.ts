import type { Step } from '../step';
import { commandRefusals, commandSteps } from './commands';
import { fleetSteps } from './fleet';
import { changeSteps, channelSteps } from './job-channel';
import { jobEndSteps, jobSteps } from './jobs';
import { lifecycleSteps } from './lifecycle';
import { limitSteps } from './limits';
import { missionSteps } from './missions';
import { refusalSteps } from './refusals';
import { revokeShare, shareIsDeleted, shareSteps } from './shares';
import { telemetrySteps, viewerTelemetry } from './telemetry';
import { tokenRefusals, tokenSteps } from './token';
import { viewerIsRefused, viewerIsNotified, viewShare } from './viewers';

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
