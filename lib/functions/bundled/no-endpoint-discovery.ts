/**
 * Takes the place of `@aws-sdk/endpoint-cache` in the bundles. It remembers endpoints of DynamoDB that were discovered,
 * which no client here does, and brings a library of caches along.
 */
export function EndpointCache(): void {
  // The SDK makes one for every client, and keeps it.
}
