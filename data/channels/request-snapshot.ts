/** Not in `snapshot-requests.ts`, which the function that sends snapshots bundles, without the client of Lambda. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { clientConfig } from '../store/client-config';
import { setting } from '../store/environment';
import type { SnapshotRequest } from './snapshot-requests';

const lambda = new LambdaClient(clientConfig());

/**
 * Requests a snapshot for a connection, or the last messages of a share, by an asynchronous invocation of its own: none waits for
 * another, and nothing can be posted to a socket inside `$connect`.
 * @throws the SDK's error when Lambda did not accept the event
 */
export async function requestSnapshot(request: SnapshotRequest): Promise<void> {
  const FunctionName = setting('SNAPSHOT_FUNCTION');
  await lambda.send(
    new InvokeCommand({
      FunctionName,
      InvocationType: 'Event',
      Payload: new TextEncoder().encode(JSON.stringify(request)),
    }),
  );
}
