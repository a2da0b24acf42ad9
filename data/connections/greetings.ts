/** Asks for new connections to be told the state: each by an invocation of its own, so that none waits for another. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod/mini';
import { connection } from './connections';

const lambda = new LambdaClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

/** The last word on what they came for, as text: it may go before anything is held back for them. */
const end = z.optional(z.string());

const greeting = z.discriminatedUnion('kind', [
  /** Somebody follows a status channel. */
  z.object({ kind: z.literal('channel'), connection, end }),
  /** A viewer has come with a share code. */
  z.object({ kind: z.literal('viewer'), connectionId: z.string(), end }),
  /** A partner has subscribed to the telemetry of a device or a group. */
  z.object({ kind: z.literal('subscription'), connectionId: z.string(), followed: z.string() }),
]);
export type Greeting = z.output<typeof greeting>;

/** An event as it was sent. @throws ZodError for one that we never sent */
export const readGreeting = (event: unknown): Greeting => greeting.parse(event);

/**
 * Has a connection greeted, as soon as that can be: nothing can be posted to one inside `$connect`.
 * @throws whatever kept Lambda from taking the event
 */
export async function greetLater(asked: Greeting): Promise<void> {
  const FunctionName = process.env['GREET_FUNCTION'];
  if (!FunctionName) throw new Error('GREET_FUNCTION is not set');
  await lambda.send(
    new InvokeCommand({
      FunctionName,
      InvocationType: 'Event',
      Payload: new TextEncoder().encode(JSON.stringify(asked)),
    }),
  );
}
