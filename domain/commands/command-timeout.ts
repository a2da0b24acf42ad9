/** How long a command may wait until it is begun, and how long it may take. */
import { endsFlight } from './stops';

/** Until when the platform must have begun a command, in ms after its request. */
export const START_WITHIN_MS = 10_000;

/** How long a command may take, in seconds. */
export const timeoutBounds = { minimum: 5, maximum: 600 } as const;
const SHORT_TIMEOUT_S = 30;
const FLOWN_TIMEOUT_S = 300;
const isFlownFor = (name: string): boolean => name === 'GO_TO' || name === 'ORBIT' || endsFlight(name);

/** How long a command may take unless its request says so, in seconds: one that is flown takes minutes. */
export const defaultTimeoutSeconds = (name: string): number => (isFlownFor(name) ? FLOWN_TIMEOUT_S : SHORT_TIMEOUT_S);
