/** Settings of every AWS SDK client of the simulator; without the last one the SDK only warns of a slow request. */
export const clientConfig = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
};
