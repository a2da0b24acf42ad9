import * as z from 'zod/mini';
import * as domain from '../../domain/shares/share';
import { links, nextToken, success } from '../terms/page.schemas';

/** A share with the address of its page. */
export const share = z.extend(
  z.pick(domain.shareRecord, {
    shareCode: true,
    resourceId: true,
    shareType: true,
    permissions: true,
    commands: true,
    expiresAt: true,
    maxViewers: true,
    createdAt: true,
  }),
  {
    shareUrl: z.string(),
    links,
  },
);

export const createdShare = z.pick(share, {
  shareCode: true,
  shareUrl: true,
  expiresAt: true,
  maxViewers: true,
  links: true,
});

export const createdShareReply = z.object({ success, share: createdShare });

export const shareReply = z.object({ success, share });

/** A share in a list. */
export const listedShare = z.extend(share, { currentViewers: z.int() });

export const sharesReply = z.object({
  success,
  shares: z.array(listedShare),
  count: z.int(),
  nextToken,
});
