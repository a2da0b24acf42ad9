/**
 * The reason of a failure in one line without secrets: requests and responses are not repeated.
 * @param error of the AWS SDK, of Node or of this program
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isUnreachable(error)) {
    const endpoint = process.env['AWS_ENDPOINT_URL'];
    return endpoint ? `nothing answers at ${endpoint}: is the local stack running?` : "AWS can't be reached";
  }
  const [line] = error.message.split('\n');
  const plain = ['Error', 'Failure', 'UsageError'].includes(error.name);
  return plain ? (line ?? '') : `${error.name}: ${line}`;
}

const isUnreachable = (error: Error) =>
  'code' in error && ['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'EAI_AGAIN'].includes(String(error.code));
