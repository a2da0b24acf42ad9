/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles. A Lambda function always has its credentials in three
 * environment variables, so the search through profiles, SSO, processes and instance metadata is not needed.
 * See https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html.
 *
 * The original adds 20 ms to the first call of `GET /v3/jobs/{jobId}` and 140 kB to its bundle.
 *
 * @returns a credential provider of the SDK
 */
export const defaultProvider = () => () =>
  Promise.resolve({
    accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? '',
    sessionToken: process.env.AWS_SESSION_TOKEN ?? '',
  });
