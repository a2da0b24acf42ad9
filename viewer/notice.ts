import { element, setText } from './element';
import type { Connection, Ending } from './share-socket';

export interface NoticeState {
  readonly connection: Connection;
  readonly ending: Ending;
  /** Whether a sample was shown before. */
  readonly hasSample: boolean;
}

/** Shows the connection state as a notice and as the page's title. @returns the text */
export function showNotice(state: NoticeState): string {
  const { title, text, retry } = noticeFor(state);
  const { connection, hasSample } = state;
  element('notice', HTMLElement).hidden = connection === 'live';
  setText(element('notice-title', HTMLElement), title);
  setText(element('notice-text', HTMLElement), text);
  element('retry', HTMLElement).hidden = !retry;
  // Without a sample to show, only the notice is shown.
  const alone = !hasSample && (connection === 'ended' || connection === 'full' || connection === 'not-found');
  element('dashboard', HTMLElement).hidden = alone;
  document.body.classList.toggle('alone', alone);
  document.title = connection === 'live' ? 'Live drone' : title.replace(/\.$/, '');
  return `${title} ${text}`.trim();
}

function noticeFor({ connection, ending, hasSample }: NoticeState): { title: string; text: string; retry?: true } {
  switch (connection) {
    case 'live':
      return { title: 'Live.', text: '' };
    case 'reconnecting':
      return hasSample
        ? { title: 'Connection lost.', text: 'Reconnecting. What you see is not live.', retry: true }
        : { title: 'Connecting…', text: '' };
    case 'ended': {
      const why = { REVOKED: 'Its owner has revoked it.', EXPIRED: 'It has expired.' };
      return { title: 'This share has ended.', text: ending ? why[ending] : 'It was revoked or has expired.' };
    }
    case 'full':
      return {
        title: 'This share is full.',
        text: 'The maximum number of viewers is connected. This page connects when one of them leaves.',
        retry: true,
      };
    case 'not-found':
      return {
        title: 'There is no such share.',
        text: 'It has ended, or the link is incomplete. Ask its sender for a new one.',
      };
  }
}
