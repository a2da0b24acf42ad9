/** @throws Error when the deployment did not set it */
export function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

/**
 * Settings of every AWS SDK client of the simulator; without the last one the SDK only warns of a slow request. Bundles
 * have no versions for a user agent.
 */
export const clientConfig = {
  maxAttempts: 3,
  userAgentAppId: 'fleet-simulator',
  defaultUserAgentProvider: () => Promise.resolve([]),
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
};
