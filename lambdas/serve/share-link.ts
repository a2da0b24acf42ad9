import type { Share } from '../../domain/share';

/**
 * A share with the address of its page, `{share_base_url}/share/<shareCode>` (spec section 2).
 * @throws Error when the deployment gives the function no SHARE_BASE_URL
 */
export function withLink(share: Share): Share & { shareUrl: string } {
  const base = process.env['SHARE_BASE_URL'];
  if (!base) throw new Error('SHARE_BASE_URL is not set');
  return { ...share, shareUrl: `${base}/share/${share.shareCode}` };
}
