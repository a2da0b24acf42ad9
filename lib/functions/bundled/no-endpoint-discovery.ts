/**
 * Replaces `@aws-sdk/endpoint-cache` in the bundles. It caches discovered endpoints of DynamoDB and depends on a cache library;
 * no client here uses endpoint discovery.
 */
export function EndpointCache(): void {
  // The SDK creates one for every client.
}
