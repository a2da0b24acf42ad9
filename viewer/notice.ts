import { element, write } from './element';
import type { Connection, Ending } from './share-socket';

export interface Situation {
  readonly connection: Connection;
  readonly ending: Ending;
  /** Something of the drone was shown before. */
  readonly seen: boolean;
}

/** Says in plain words how things stand, on the page and as its title; returns the words. */
export function showNotice(situation: Situation): string {
  const { title, text, retry } = wordsFor(situation);
  const { connection, seen } = situation;
  element('notice', HTMLElement).hidden = connection === 'live';
  write(element('notice-title', HTMLElement), title);
  write(element('notice-text', HTMLElement), text);
  element('retry', HTMLElement).hidden = !retry;
  // Without anything to show, the words have the page to themselves.
  const alone = !seen && (connection === 'ended' || connection === 'full' || connection === 'not-found');
  element('dashboard', HTMLElement).hidden = alone;
  document.body.classList.toggle('alone', alone);
  document.title = connection === 'live' ? 'Live drone' : title.replace(/\.$/, '');
  return `${title} ${text}`.trim();
}

function wordsFor({ connection, ending, seen }: Situation): { title: string; text: string; retry?: true } {
  switch (connection) {
    case 'live':
      return { title: 'Live.', text: '' };
    case 'reconnecting':
      return seen
        ? { title: 'Connection lost.', text: 'Reconnecting. What you see is not live.', retry: true }
        : { title: 'Connecting…', text: '' };
    case 'ended': {
      const why = { REVOKED: 'Its owner has revoked it.', EXPIRED: 'Its time is up.' };
      return { title: 'This share has ended.', text: ending ? why[ending] : 'It was revoked or its time is up.' };
    }
    case 'full':
      return {
        title: 'This share is full.',
        text: 'As many people as may are watching. You get in by yourself when somebody leaves.',
        retry: true,
      };
    case 'not-found':
      return {
        title: 'There is no such share.',
        text: 'It has ended, or the link is not complete. Ask whoever sent it to you for a new one.',
      };
  }
}
