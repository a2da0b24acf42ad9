import { ask, expectThat } from '../endpoint';
import type { Step } from '../step';
import type { Story } from '../story';
import { Unexpected } from '../unexpected';

/** A fleet flies the first device of a group; the last one, another if there is any, is left for telemetry. */
async function resources(story: Story): Promise<string> {
  const { resources: groups, count } = await ask(story, 'GET /v3/resources');
  const [group] = groups.filter(({ devices }) => devices.length > 0);
  const [flown, observed] = [group?.devices[0], group?.devices.at(-1)];
  if (!group || !flown || !observed) throw new Unexpected('a device group with a device', `${groups.length} groups`);
  const { deviceGroupId } = group;
  story.give('fleet', { deviceGroupId, deviceId: flown.deviceId, observedId: observed.deviceId });
  expectThat(count === groups.length, `a count of ${groups.length}`, () => `${count}`);
  return `device groups: ${count}`;
}

export const fleetSteps: readonly Step[] = [{ name: 'resources', run: resources }];
