/**
 * Replaces `node:fs/promises` in the bundles. Only the SDK imports it, to look for settings in configuration files, which a Lambda
 * function does not have: it takes the refusal for a file that does not exist. Loading the original adds a millisecond to every
 * cold start, and looking for the files another.
 */
export const readFile = () => Promise.reject(new Error('A function reads no files'));
