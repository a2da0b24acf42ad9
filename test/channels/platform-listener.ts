import * as z from 'zod/mini';
import { makePlatformQueue, type PlatformQueue } from './platform-queue';

const received = z.object({ source: z.string(), 'detail-type': z.string(), detail: z.looseObject({}) });

/** An event of this service, as the platform receives it. */
export type ReceivedEvent = z.output<typeof received>;

/**
 * Listens to the bus as the platform does, for all tests of a file.
 * @param waitSeconds how long a call waits for an event
 * @returns reads the events that have come since the last call, those of other tests too
 */
export function listenAsPlatform(waitSeconds = 20): () => Promise<ReceivedEvent[]> {
  let queue: PlatformQueue | undefined;
  beforeAll(async () => {
    // Another one at each run, since an account has a name of a queue again only a minute after it was deleted.
    queue = await makePlatformQueue(`platform-test-${process.pid}-${Date.now()}`);
  });
  afterAll(() => queue?.remove());
  return async () => ((await queue?.take(waitSeconds)) ?? []).map((event) => received.parse(event));
}
