import { DroneMissionClient } from '../src/index.ts';
import { FakeService, withoutWaits, type Answer } from './fake-service.ts';

withoutWaits();
let service: FakeService;
beforeEach(async () => {
  service = await new FakeService().start();
});
afterEach(() => service.stop());

const page = (cursor: string, ...cursors: string[]): Answer => ({
  status: 200,
  body: { success: true, events: cursors.map((each) => ({ cursor: each })), count: cursors.length, cursor },
});

/** Follows until so many events have come, from a service that answers in turn. */
async function follow(count: number, answers: Answer[], after?: string) {
  service.answer = () => answers.shift() ?? 'destroy';
  const cursors: string[] = [];
  const client = new DroneMissionClient({ ...service.options, maxRetries: 0 });
  for await (const { cursor } of client.events.follow({ after })) {
    cursors.push(cursor);
    if (cursors.length === count) break;
  }
  return { cursors, queries: service.requests.map(({ path }) => path.split('?')[1] ?? '') };
}

describe('following the feed', () => {
  test('begins now, and goes on with the cursor of each page, also of an empty one', async () => {
    const { cursors, queries } = await follow(2, [page('a'), page('b', 'b'), page('c'), page('d', 'd')]);
    expect(cursors).toEqual(['b', 'd']);
    expect(queries).toEqual(['', 'after=a&wait=20', 'after=b&wait=20', 'after=c&wait=20']);
  });

  test('pauses for five seconds after a call that was not held although nothing had happened', async () => {
    const pauses: (number | undefined)[] = [];
    const { setTimeout: start } = globalThis;
    jest.spyOn(globalThis, 'setTimeout').mockImplementation((done: () => void, ms?: number) => {
      pauses.push(ms);
      return start(done, ms === 5000 ? 0 : ms);
    });
    const { queries } = await follow(2, [page('a', 'a'), page('a'), page('b'), page('c', 'c')], '0');
    expect(queries).toEqual(['after=0&wait=20', 'after=a&wait=20', 'after=a&wait=20', 'after=b&wait=20']);
    expect(pauses.filter((ms) => ms === 5000)).toHaveLength(1);
  });
});
