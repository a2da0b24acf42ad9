import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { database, tableNamed } from './aws-access';

const WINDOW_S = 60;
/** This minute, and the following ones on a slow machine. */
const WINDOWS = 3;

/**
 * Stores that calls were counted against a limit, so that a test does not have to make them.
 * @param subject what is limited, as `countCall` receives it
 * @param calls in this minute, and in each of the next
 */
export async function givenCalls(subject: string, calls: number): Promise<void> {
  const TableName = await tableNamed('Requests');
  const now = Math.floor(Date.now() / 1000);
  const windowStart = now - (now % WINDOW_S);
  for (let start = windowStart; start < windowStart + WINDOWS * WINDOW_S; start += WINDOW_S) {
    const Item = { id: `calls#${subject}#${start}`, calls, ttl: start + 600 };
    await database().send(new PutCommand({ TableName, Item }));
  }
}
