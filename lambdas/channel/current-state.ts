import { listGroup } from '../../data/fleet/fleet';
import { readItem } from '../../data/jobs/jobs';
import { readShare } from '../../data/shares/shares';
import { organisationOf } from '../../domain/id';
import { deviceMessage, jobMessage, shareMessage, type Channel } from '../../domain/status-event';
import type { StatusMessage } from '../../domain/status-message';

/**
 * The state that a channel is at: one message for a job or a share, one for each device of a group.
 * @param now ISO 8601
 * @returns undefined when the resource is gone
 */
export async function currentState({ kind, id }: Channel, now: string): Promise<StatusMessage[] | undefined> {
  switch (kind) {
    case 'job': {
      const found = await readItem(id);
      return found && [jobMessage(found.job)];
    }
    case 'group': {
      const group = await listGroup(organisationOf('group', id) ?? '', id);
      return group?.devices.map((device) => deviceMessage(device, now));
    }
    case 'share': {
      const found = await readShare(id, now);
      return found && [shareMessage(found, now)];
    }
  }
}
