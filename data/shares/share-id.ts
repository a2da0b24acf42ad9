import { createHash } from 'node:crypto';

/**
 * Identifies a share on the platform's bus and in logs. A share code has 130 random bits, so it can't be recovered from its
 * digest.
 */
export const digestShareCode = (shareCode: string) => createHash('sha256').update(shareCode).digest('hex').slice(0, 32);

/**
 * The topic that the viewers of a share with many places get its samples from. Topics and client ids are in the logs of
 * AWS IoT, so they contain digests.
 */
export const broadcastTopic = (shareCode: string) => `broadcast/${digestShareCode(shareCode)}`;

/** How a partner sees a viewer that sent a command: the same for each of a socket, and nobody finds the socket by it. */
export const viewerPseudonym = (connectionId: string) =>
  `viewer-${createHash('sha256').update(`command ${connectionId}`).digest('hex').slice(0, 12)}`;

/** The MQTT client id of a viewer, by the id of its socket: a viewer can't have more connections than seats. */
export const viewerClientId = (connectionId: string) =>
  `viewer-${createHash('sha256').update(connectionId).digest('hex').slice(0, 32)}`;
