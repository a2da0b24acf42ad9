/**
 * How long a server keeps an idle connection, in milliseconds. A client that is busy when the server closes one takes it for
 * open, and its next request fails; so this is longer than the pauses between two requests of a program.
 */
export const KEEP_ALIVE_MS = 600_000;
