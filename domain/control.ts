import * as z from 'zod/mini';
import { text } from './text';

/** What a viewer wants of a drone, as it sent it. */
export const command = z.looseObject({ name: text(1, 64) });

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

/** Most commands a minute over a share, and over all shares of a device: one share alone can't use up the device's. */
export const CONTROLS_PER_MINUTE = { share: 30, device: 60 } as const;

/** For so long what became of a command is taken from the platform, in seconds. */
export const OUTCOME_SECONDS = 600;
