import * as z from 'zod/mini';
import { share } from '../../domain/share';
import { nextToken, success } from './page';

const sharedLink = z.extend(
  z.omit(share, { deviceId: true, currentViewers: true, version: true, metadata: true, expired: true }),
  {
    shareUrl: z.string(),
  },
);

export const createdShareReply = z.object({
  success,
  share: z.pick(sharedLink, { shareCode: true, shareUrl: true, expiresAt: true, maxViewers: true }),
});

export const shareReply = z.object({ success, share: sharedLink });

export const sharesReply = z.object({
  success,
  shares: z.array(z.extend(sharedLink, { currentViewers: z.int() })),
  count: z.int(),
  nextToken,
});
