import { setting } from '../store/environment';
import type { Share } from '../../domain/shares/share';

/**
 * A share with the address of its page, `{share_base_url}/share/<shareCode>` (spec section 2).
 * @throws Error when SHARE_BASE_URL is not set
 */
export function withLink(share: Share): Share & { shareUrl: string } {
  return { ...share, shareUrl: `${setting('SHARE_BASE_URL')}/share/${share.shareCode}` };
}
