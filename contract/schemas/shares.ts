import * as z from 'zod/mini';
import { share } from '../../domain/share';
import { nextToken, success } from './page';

/** A share with the address of its page. */
export const sharedLink = z.extend(
  z.omit(share, { deviceId: true, currentViewers: true, version: true, metadata: true, expired: true }),
  {
    shareUrl: z.string(),
  },
);

export const createdShare = z.pick(sharedLink, { shareCode: true, shareUrl: true, expiresAt: true, maxViewers: true });

export const createdShareReply = z.object({ success, share: createdShare });

export const shareReply = z.object({ success, share: sharedLink });

/** A share in a list. */
export const listedShare = z.extend(sharedLink, { currentViewers: z.int() });

export const sharesReply = z.object({
  success,
  shares: z.array(listedShare),
  count: z.int(),
  nextToken,
});
