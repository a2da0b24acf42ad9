import { documentClient } from './document-client';

/**
 * One client for all of a function. Short timeouts and three attempts keep a call within a partner's
 * patience: DynamoDB answers in milliseconds or is to be asked again.
 */
export const dynamodb = documentClient({
  maxAttempts: 3,
  // What is not said here the SDK looks for in files that a Lambda has not got, at the first call of each instance.
  retryMode: 'standard',
  defaultsMode: 'standard',
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  accountIdEndpointMode: 'disabled',
  authSchemePreference: [],
  endpointDiscoveryEnabled: false,
  userAgentAppId: 'drone-mission-api',
  // Without the last of these the SDK only warns of a slow request and goes on waiting.
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

/**
 * Name of a table that the function was bound to.
 * @throws Error when the deployment bound none: a defect of `contract/endpoints.ts` or `lib/`
 */
export function table(name: 'JOBS' | 'SHARES' | 'FLEET' | 'PARTNERS' | 'REQUESTS' | 'CONNECTIONS'): string {
  const value = process.env[`${name}_TABLE`];
  if (!value) throw new Error(`${name}_TABLE is not set: the function is not bound to that table`);
  return value;
}
