import { expectDeviceGroup } from '../data/fleet';
import { findJob } from '../data/jobs';
import { findShare } from '../data/shares';
import type { Organisation } from '../domain/id';
import type { Channel } from '../domain/status-event';

/**
 * Makes sure that a channel tells of something that the organisation has; one read.
 * @throws Refusal of the resource: not found, or `forbidden` when it is another organisation's
 */
export async function expectChannel(caller: Organisation, { kind, id }: Channel, now: string): Promise<void> {
  switch (kind) {
    case 'job':
      await findJob(caller, id);
      return;
    case 'group':
      await expectDeviceGroup(caller, id);
      return;
    case 'share':
      await findShare(caller, id, now);
      return;
  }
}
