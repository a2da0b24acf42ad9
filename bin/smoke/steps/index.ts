import type { Step } from '../step';
import { fleetSteps } from './fleet';
import { changeSteps, channelSteps } from './job-channel';
import { jobEndSteps, jobSteps } from './jobs';
import { lifecycleSteps } from './lifecycle';
import { limitSteps } from './limits';
import { refusalSteps } from './refusals';
import { revokeShare, shareIsGone, shareSteps } from './shares';
import { telemetrySteps, viewerTelemetry } from './telemetry';
import { tokenRefusals, tokenSteps } from './token';
import { viewerIsRefused, viewerIsTold, viewShare } from './viewers';

/** The story of a partner, in order. The last step leaves the client limited. */
export const steps: readonly Step[] = [
  ...tokenSteps,
  ...fleetSteps,
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
  viewerIsTold,
  shareIsGone,
  viewerIsRefused,
  ...tokenRefusals,
  ...refusalSteps,
  ...limitSteps,
];
