import * as z from 'zod/mini';
import { freeForm } from './free-form';
import { text } from './text';

/** A viewer's command to a drone; other fields are passed on unchanged. */
export const command = z.looseObject({ name: text(1, 64) }).check(freeForm());

export const controlOutcomes = ['DONE', 'REFUSED', 'FAILED'] as const;

/** Why a command was refused or has failed, from the drone platform's list. */
export const controlReasons = [
  'NOT_SUPPORTED',
  'NOT_ALLOWED',
  'DEVICE_OFFLINE',
  'DEVICE_BUSY',
  'TOO_LATE',
  'DEVICE_FAULT',
] as const;

/** Maximum of commands per minute for a share, and for all shares of a device: one share alone can't use up the device's limit. */
export const CONTROLS_PER_MINUTE = { share: 30, device: 60 } as const;

/** How long after a command the platform may report its outcome, in seconds. */
export const OUTCOME_ACCEPTED_FOR_S = 600;
