import type * as z from 'zod/mini';
import {
  commandStatusMessage,
  deviceStatusMessage,
  jobStatusMessage,
  shareStatusMessage,
  type StatusMessage,
} from '../../domain/channels/status-message';

/**
 * The schema of each message on the status channels, by its type: apart from the channels, for the functions that only
 * pass messages on.
 */
export const statusMessages = {
  'job.status': jobStatusMessage,
  'device.status': deviceStatusMessage,
  'share.status': shareStatusMessage,
  'command.status': commandStatusMessage,
} as const satisfies {
  readonly [Type in StatusMessage['type']]: z.ZodMiniType<Extract<StatusMessage, { type: Type }>>;
};
