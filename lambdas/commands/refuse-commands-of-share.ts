import { readOpenCommands } from '../../data/commands/commands';
import { allSettled } from '../runtime/concurrency';
import { endCommand } from './end-command';

/** Ends the commands of a share that has ended, as far as they have not been delivered. */
export async function refuseCommandsOfShare(deviceId: string, shareCode: string, now: Date): Promise<void> {
  const open = await readOpenCommands(deviceId, now);
  const ofShare = open.filter((each) => each.shareCode === shareCode);
  const to = { status: 'REFUSED', reason: 'SHARE_ENDED', from: ['REQUESTED'], now } as const;
  await allSettled(ofShare.map((each) => endCommand(each, to)));
}
