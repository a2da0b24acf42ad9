import { createHash } from 'node:crypto';

/**
 * Identifies a share on the platform's bus and in logs. A share code has 130 random bits, so it can't be recovered from its
 * digest.
 */
export const shareIdOf = (shareCode: string) => createHash('sha256').update(shareCode).digest('hex').slice(0, 32);
