import { SERVICE } from '../../domain/values/service';

/** Settings in which a client may differ. */
interface Overrides {
  /** Maximum of attempts per call. */
  readonly maxAttempts?: number;
  /** Timeout of one attempt, in ms: more for services that are slower than DynamoDB. */
  readonly requestTimeoutMs?: number;
  /** Maximum of open connections; the SDK's default is 50. */
  readonly maxSockets?: number;
}

/** Leaves the versions of SDK and Node.js out of the user agent: for them each client brings its `package.json` of 2 kB. */
const defaultUserAgentProvider = () => Promise.resolve([]);

/**
 * Settings of every AWS SDK client. AWS responds in milliseconds, so short timeouts with three attempts keep requests of
 * partners fast.
 */
export const clientConfig = ({ maxAttempts = 3, requestTimeoutMs = 2000, maxSockets }: Overrides = {}) => ({
  maxAttempts,
  // The SDK looks for settings that are missing here in files, which Lambda does not have, at each instance's first call.
  retryMode: 'standard',
  defaultsMode: 'standard' as const,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  authSchemePreference: [],
  // The user agent that CloudTrail shows.
  userAgentAppId: SERVICE,
  defaultUserAgentProvider,
  requestHandler: {
    connectionTimeout: 1000,
    requestTimeout: requestTimeoutMs,
    // Without this the SDK only logs a warning for a slow request and goes on waiting.
    throwOnRequestTimeout: true,
    ...(maxSockets !== undefined && { httpsAgent: { maxSockets } }),
  },
});
