import * as z from 'zod/mini';
import { makePlatformQueue, type PlatformQueue } from './platform-queue';

const received = z.object({ source: z.string(), 'detail-type': z.string(), detail: z.looseObject({}) });

/** An event of this service, as the platform receives it. */
export type ReceivedEvent = z.output<typeof received>;

/**
 * Listens to the bus as the platform does, for all tests of a file.
 * @returns reads the events that have come since the last call, those of other tests too; it waits up to 20 s for one
 */
export function listenAsPlatform(): () => Promise<ReceivedEvent[]> {
  let queue: PlatformQueue | undefined;
  beforeAll(async () => {
    // Another one at each run, since an account has a name of a queue again only a minute after it was deleted.
    queue = await makePlatformQueue(`platform-test-${process.pid}-${Date.now()}`);
  });
  afterAll(() => queue?.remove());
  return async () => ((await queue?.take(20)) ?? []).map((event) => received.parse(event));
}
