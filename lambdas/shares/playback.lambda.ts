import * as actions from '../../contract/shares/viewers.actions';
import { noVideoShared } from '../../contract/terms/forbidden';
import { isActive } from '../../data/access/organisation-status';
import { readShare } from '../../data/shares/shares';
import { Refusal } from '../../domain/values/refusal';
import { sharePlayback } from '../../data/shares/playback-session';
import { toPlaybackMessage } from './playback-message';
import { answer } from '../sockets/action';

export const handler = answer('playback', actions.playbackAction, async ({ session, now }) => {
  // A video URL can't be revoked, so none is issued once the share has ended.
  const share = await readShare(session.shareCode, now.toISOString());
  if (!share || !(await isActive(session.organisation))) throw new Refusal('share_not_found');
  const playback = await sharePlayback(share, now);
  if (playback === undefined) throw noVideoShared();
  return toPlaybackMessage(playback);
});
