import { judgeAll, type Verdict } from './judge';
import type { Operation } from './operations';
import { perform, transportOf, type Transport } from './perform';
import type { Scene } from './scene';
import { settle } from './settle';
import { World } from './world';

export interface ChapterResult extends Verdict {
  readonly counts: ReadonlyMap<Transport, number>;
}

/** Leaves everything that is still followed; an MQTTS connection that has ended by itself is a fault. */
async function leaveAll(world: World, { connections }: Scene): Promise<void> {
  const open = [
    ...world.followers.filter(({ left, closed }) => left === undefined && !closed),
    ...world.listeners.filter(({ until, closed }) => until === undefined && !closed),
  ];
  await Promise.allSettled(open.map(({ leave }) => leave()));
  for (const [name, { closedAt }] of connections)
    if (closedAt !== undefined) world.complain(name, 'its MQTTS connection was closed for no reason');
}

/**
 * Does operations, many at once, on jobs and shares of their own; waits until all is settled, ends what there is, and
 * judges all that was answered and heard.
 * @param atOnce how many operations are under way at the same time
 */
export async function runChapter(
  scene: Scene,
  operations: readonly Operation[],
  atOnce: number,
): Promise<ChapterResult> {
  const world = new World(scene.facts, scene.organisations, scene.callers, scene.counted);
  const { connections, publishers } = scene;
  const counts = new Map<Transport, number>();
  const waiting = operations.values();
  const work = async () => {
    for (const operation of waiting) {
      const transport = transportOf(operation);
      counts.set(transport, (counts.get(transport) ?? 0) + 1);
      await perform({ world, connections, publishers }, operation);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const settledAt = await settle(world);
  await leaveAll(world, scene);
  return { ...judgeAll(world, settledAt), counts };
}
