import { commandsNotPermitted } from '../../contract/terms/forbidden';
import type { ViewerSession } from '../../data/channels/sessions';
import { readDevice } from '../../data/fleet/devices';
import { isActive } from '../../data/access/organisation-status';
import { readShare } from '../../data/shares/shares';
import type { Device } from '../../domain/fleet/device';
import type { Share } from '../../domain/shares/share';

/**
 * The device that a viewer may control. A drone acts on it, so the share and its organisation must be valid at this
 * moment: no cache.
 * @param permits whether the share permits what the viewer wants @param now ISO 8601
 * @throws Refusal `forbidden`
 */
export async function controlledDevice(
  { shareCode, deviceId, organisation }: ViewerSession,
  permits: (share: Share) => boolean,
  now: string,
): Promise<Device> {
  const [share, device] = await Promise.all([readShare(shareCode, now), readDevice(organisation, deviceId, true)]);
  if (!share || !device || !permits(share)) throw commandsNotPermitted();
  if (!(await isActive(organisation))) throw commandsNotPermitted();
  return device;
}
