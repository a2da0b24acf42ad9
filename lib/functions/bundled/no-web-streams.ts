/**
 * Replaces `node:stream/web` in the bundles. Only middy imports it, to recognise streamed responses, which no function here
 * has. Loading the original adds a millisecond to every cold start.
 */
export function ReadableStream(): never {
  throw new Error('No function here streams its response');
}
