import type { FaultsFile } from 'cloud-assembly-runner';
import type { Client } from '../api/client';

/** What is expected after a fault has ended; it may take minutes. */
export type Recovery = () => Promise<void>;

/**
 * What a partner does while a fault lasts. It injects the fault and ends it.
 * @returns what is expected afterwards
 */
export type Trial = (partner: Client, faults: FaultsFile) => Promise<Recovery>;

/** The heartbeat repairs what a fault has left behind; it detects that within two minutes. */
export const RECOVERED_WITHIN_MS = 125_000;
