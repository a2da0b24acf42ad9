import * as endpoints from '../../contract/shares/shares.endpoints';
import { findSharedDevice } from '../../data/fleet/registered-parts';
import { newShareCode } from '../../data/store/new-id';
import { insertShare } from '../../data/shares/shares';
import { expectNoGroup, newShare } from '../../domain/shares/new-share';
import { idempotencyKey } from '../serve/idempotency-key';
import { jsonBody } from '../serve/json-body';
import { serve } from '../serve/serve';
import { withLink } from '../../data/shares/share-link';

export const handler = serve(
  'POST /v3/streams/share',
  endpoints.createShare,
  async ({ caller, body, now, firstAnswer }) => {
    expectNoGroup(body);
    const deviceId = await findSharedDevice(caller.organisation, body.resourceId);
    const share = newShare(body, deviceId, newShareCode(caller.organisation, now), now);
    const reply = { success: true as const, share: withLink(share) };
    await insertShare(caller, share, firstAnswer(reply));
    return reply;
  },
  jsonBody,
  idempotencyKey,
);
