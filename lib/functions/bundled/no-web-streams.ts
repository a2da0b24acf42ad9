/**
 * Takes the place of `node:stream/web` in the bundles, where middy alone asks for it, to tell answers that are streamed,
 * which none here is. Loading the real one costs every cold start a millisecond.
 */
export function ReadableStream(): never {
  throw new Error('No function here streams its answer');
}
