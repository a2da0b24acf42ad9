/**
 * Replaces `@aws-sdk/endpoint-cache` in the bundles. It caches discovered endpoints of DynamoDB and depends on a cache library;
 * no client here uses endpoint discovery. The original adds only 0.1 ms to a first call, but 8 kB to every bundle: the
 * largest one of an endpoint would exceed its limit (`test/bench/cold-start.ts`).
 */
export function EndpointCache(): void {
  // The SDK creates one for every client.
}
