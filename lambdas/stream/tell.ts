import { changeOf, momentOf, type StreamRecord } from '../../data/changes';
import { tellPlatform } from '../../data/platform-bus';
import { platformEventOf } from '../../domain/platform-event';
import { shareIdOf } from '../share-id';

/** Tells the drone platform of a change of a job or a share. */
export async function tell(record: StreamRecord): Promise<void> {
  const change = changeOf(record);
  const event = change && platformEventOf(change, momentOf(record), shareIdOf);
  if (event) await tellPlatform(event.type, event.detail);
}
