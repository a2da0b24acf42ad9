import * as z from 'zod';

/** Invalid command line: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command can't be carried out: exit code 1. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** Names of AWS errors, and what to do about them. Others are reported as AWS words them, with their name. */
const remedies: Readonly<Record<string, string>> = {
  ExpiredToken: 'the AWS credentials have expired: sign in again (aws sso login), or renew AWS_SESSION_TOKEN',
  InvalidClientTokenId: 'AWS does not know the credentials: check AWS_PROFILE, or AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch:
    'AWS rejects the signature of the credentials: check AWS_SECRET_ACCESS_KEY, and the clock of this machine',
  TooManyRequestsException: 'AWS throttles the calls: try again in a minute',
};

/** The same errors, as other services name them. */
const synonyms: Readonly<Record<string, string>> = {
  ExpiredTokenException: 'ExpiredToken',
  UnrecognizedClientException: 'InvalidClientTokenId',
  InvalidSignatureException: 'SignatureDoesNotMatch',
  ThrottlingException: 'TooManyRequestsException',
  Throttling: 'TooManyRequestsException',
};

const here = 'for the stack on this machine add --local';

/**
 * The reason of a failure in one line, with what to do about it, without secrets: requests and responses are not repeated.
 * @param error of the AWS SDK, of Node or of this program
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isUnreachable(error)) {
    const endpoint = process.env['AWS_ENDPOINT_URL'];
    return endpoint
      ? `nothing answers at ${endpoint}: is the local stack running? \`npm start\` starts it`
      : "AWS can't be reached: check the network and AWS_REGION";
  }
  const [line = ''] = error.message.split('\n');
  if (line === 'Region is missing') return `no AWS region; ${here}, for one in AWS set AWS_REGION`;
  if (error.name === 'CredentialsProviderError') {
    return `no AWS credentials (${line}); ${here}, for one in AWS sign in (aws sso login) or set AWS_PROFILE`;
  }
  if (error instanceof z.core.$ZodError) return unexpectedData(error);
  const remedy = remedies[synonyms[error.name] ?? error.name];
  if (remedy) return remedy;
  return ['Error', 'Failure', 'UsageError'].includes(error.name) ? line : `${error.name}: ${line}`;
}

const UNREACHABLE = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'ECONNRESET',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
];

const isUnreachable = (error: Error) => 'code' in error && UNREACHABLE.includes(String(error.code));

/** Zod names what it expected, and no values. */
function unexpectedData({ issues: [issue] }: z.core.$ZodError): string {
  const where = z.core.toDotPath(issue?.path ?? []);
  return `a stored record is invalid (${where}: ${issue?.message}): was it written by a newer version? use that one`;
}
