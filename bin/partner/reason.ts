/**
 * Why something failed, in one line that holds nothing secret: requests and answers are not repeated.
 * @param error of the AWS SDK, of Node or our own
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isUnreachable(error)) {
    const endpoint = process.env['AWS_ENDPOINT_URL'];
    return endpoint ? `nothing answers at ${endpoint}: is the local stack running?` : 'AWS can not be reached';
  }
  const [line] = error.message.split('\n');
  const plain = ['Error', 'Failure', 'UsageError'].includes(error.name);
  return plain ? (line ?? '') : `${error.name}: ${line}`;
}

const isUnreachable = (error: Error) =>
  'code' in error && ['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'EAI_AGAIN'].includes(String(error.code));
