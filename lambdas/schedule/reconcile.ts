import { markDevicesOffline } from '../telemetry/mark-devices-offline';
import { logger } from '../logger';

/** Each repairs one kind of state, independently of the others. */
const steps: readonly (() => Promise<void>)[] = [markDevicesOffline];

/**
 * Every minute: corrects state that a lost message or a crash has left wrong. The next run handles what this one missed.
 * @throws the error of the first step that failed, after all have run
 */
export async function handler(): Promise<void> {
  const outcomes = await Promise.allSettled(steps.map((step) => step()));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!failure) return;
  logger.warn('state could not be reconciled', { error: failure.reason as unknown });
  throw failure.reason;
}
