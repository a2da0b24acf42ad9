import { findSharedDevice } from '../../../data/fleet';
import { newShareCode } from '../../../data/new-id';
import { insertShare } from '../../../data/shares';
import { newShare } from '../../../domain/share';
import { serve } from '../../serve/shares';
import { withLink } from '../../share-link';

export const handler = serve('POST /v3/streams/share', async ({ caller, body, now, firstAnswer }) => {
  const deviceId = await findSharedDevice(caller.organisation, body.resourceId);
  const share = newShare(body, deviceId, newShareCode(caller.organisation, now), now);
  const reply = { success: true as const, share: withLink(share) };
  await insertShare(caller.organisation, share, firstAnswer(reply));
  return reply;
});
