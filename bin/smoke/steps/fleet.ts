import { callAndExpectReply, expectThat } from '../api-calls';
import type { Step, SmokeContext } from '../smoke-context';
import { Unexpected } from '../errors';

/** A fleet flies the first device of a group; telemetry is published for the last one, another if there is any. */
async function resources(context: SmokeContext): Promise<string> {
  const { resources: groups, count } = await callAndExpectReply(context, 'GET /v3/resources');
  const [group] = groups.filter(({ devices }) => devices.length > 0);
  const [flown, observed] = [group?.devices[0], group?.devices.at(-1)];
  if (!group || !flown || !observed) throw new Unexpected('a device group with a device', `${groups.length} groups`);
  const { deviceGroupId } = group;
  context.set('fleet', { deviceGroupId, deviceId: flown.deviceId, observedId: observed.deviceId });
  expectThat(count === groups.length, `a count of ${groups.length}`, () => `${count}`);
  return `device groups: ${count}`;
}

export const fleetSteps: readonly Step[] = [{ name: 'resources', run: resources }];
