import { createHash } from 'node:crypto';

/**
 * The name of a share outside: on the platform's bus and in logs. A share code has 130 random bits, so nobody gets back
 * from its digest to the code.
 */
export const shareIdOf = (shareCode: string) => createHash('sha256').update(shareCode).digest('hex').slice(0, 32);
