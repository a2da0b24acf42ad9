import type { Caller, Timed } from './caller';
import type { World } from './world';

/** A call with everything that is true of every answer: 403 without the scope, never 5xx. Undefined when that settled it. */
export async function ask(
  world: World,
  caller: Caller,
  label: string,
  scope: Parameters<Caller['may']>[0],
  run: () => Promise<Timed>,
): Promise<Timed | undefined> {
  const answer = await run().catch((error: unknown) => {
    world.complain(label, `no answer: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (!answer) return undefined;
  const { status, headers } = answer;
  if (status >= 500) world.complain(label, `${status}, request ${headers.get('x-request-id') ?? 'without an id'}`);
  else if (!caller.may(scope)) {
    if (status !== 403) world.complain(label, `${status} without the scope ${scope}`);
  } else return answer;
  return undefined;
}

/** Whether a refusal of what no resource is needed for is the one that is promised. */
export function expectStatus(world: World, label: string, { status }: Timed, ...promised: readonly number[]): void {
  if (!promised.includes(status)) world.complain(label, `${status} in place of ${promised.join(' or ')}`);
}
