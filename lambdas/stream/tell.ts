import { createHash } from 'node:crypto';
import { changeOf, momentOf, type StreamRecord } from '../../data/changes';
import { tellPlatform } from '../../data/platform-bus';
import { platformEventOf } from '../../domain/platform-event';

/** A share code has 130 random bits, so nobody gets back from its digest to the code. */
const shareIdOf = (shareCode: string) => createHash('sha256').update(shareCode).digest('hex').slice(0, 32);

/** Tells the drone platform of a change of a job or a share. */
export async function tell(record: StreamRecord): Promise<void> {
  const change = changeOf(record);
  const event = change && platformEventOf(change, momentOf(record), shareIdOf);
  if (event) await tellPlatform(event.type, event.detail);
}
