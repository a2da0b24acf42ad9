import { endSilentDevices } from '../delivery/telemetry/end-silent-devices';
import { logger } from '../logger';

/** What may have been missed since the last minute, each step on its own. */
const steps: readonly (() => Promise<void>)[] = [endSilentDevices];

/**
 * Every minute: makes true again what a lost message or a crash has left untrue. The next run begins with what this one
 * could not see to.
 * @throws the error of the first step that failed, once all are done
 */
export async function handler(): Promise<void> {
  const outcomes = await Promise.allSettled(steps.map((step) => step()));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!failure) return;
  logger.warn('something could not be made true', { error: failure.reason as unknown });
  throw failure.reason;
}
