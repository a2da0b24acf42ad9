import { elapsed, type ShareClock } from './clock';
import { element, setText } from './element';
import { format, texts } from './locale';
import { noticeFor, type Connection, type Ending } from './connection';
import { nextSilence, type SilenceState } from './silence-announcements';

export interface ConnectionView {
  /** Shows a state of the connection. @returns the words for screen readers */
  show(connection: Connection, ending: Ending): string;
  /**
   * Shows how old the figures are and how long the share still stands.
   * @returns the words for screen readers when the device falls silent or reports again
   */
  tick(): string | undefined;
  /** Number of places of the share. */
  setPlaces(places: number): void;
  /** Whether the shared device was removed: no report will come. */
  setRemoved(removed: boolean): void;
  /** What the page shows: the device, and its job if any. */
  setNames(device: string, job: string | undefined): void;
}

/** The pill, the notices, and the page's title. */
export function createConnectionView(clock: ShareClock): ConnectionView {
  const pill = element('pill', HTMLElement);
  /** Its five values are a promise to programs that read the page; people read the pill. */
  const value = element('connection', HTMLElement);
  const notice = element('notice', HTMLElement);
  const note = element('old-note', HTMLElement);
  let connection: Connection = 'reconnecting';
  let wasLive = false;
  let places: number | undefined;
  let isRemoved = false;
  let liveTitle = texts.title.share;
  let silence: SilenceState = { isAnnounced: false };

  const isOld = () => connection === 'live' && clock.isOld();

  function pillText(): string {
    if (connection === 'reconnecting' && !wasLive) return texts.pill.connecting;
    if (!isOld()) return texts.pill[connection];
    const age = clock.age();
    return age === undefined ? texts.pill.noReport : texts.pill.old(format.age(age));
  }

  function noteText(): string {
    const { title, advice } = texts.notices[isRemoved ? 'removed' : clock.age() === undefined ? 'noReport' : 'old'];
    return `${title} ${advice}`;
  }

  function silenceWords(): string | undefined {
    const { state, announce } = nextSilence(silence, {
      at: elapsed(),
      isConnected: connection === 'live',
      isOld: isOld(),
    });
    silence = state;
    if (announce === 'end') return texts.announcedLive;
    if (announce === undefined) return undefined;
    const age = clock.age();
    return age === undefined ? noteText() : texts.announcedOld(format.age(age), noteText());
  }

  function render(): void {
    const old = isOld();
    document.body.toggleAttribute('data-old', old);
    setText(pill, pillText());
    note.hidden = !old;
    setText(note, noteText());
    const left = clock.timeLeft();
    if (left !== undefined)
      setText(element('time-left', HTMLElement), left === 0 ? texts.figures.noTime : format.duration(left));
  }

  return {
    tick() {
      render();
      return silenceWords();
    },
    setPlaces: (count) => (places = count),
    setRemoved: (removed) => (isRemoved = removed),
    setNames(device, job) {
      setText(element('device', HTMLElement), device);
      const line = element('job', HTMLElement);
      setText(line, job ?? '');
      line.hidden = job === undefined;
      liveTitle = job === undefined ? device : `${device} – ${job}`;
      if (connection === 'live') document.title = liveTitle;
    },
    show(next, ending) {
      connection = next;
      const { title, advice } = noticeFor(texts, { connection, ending, wasLive, places });
      if (next === 'live') wasLive = true;
      value.dataset['state'] = next;
      setText(value, next);
      document.body.dataset['connection'] = next;
      notice.hidden = next === 'live';
      setText(element('notice-title', HTMLElement), title);
      setText(element('notice-text', HTMLElement), advice);
      element('retry', HTMLElement).hidden = next !== 'full' && next !== 'reconnecting';
      // Without a figure to show, only the notice is shown.
      const alone = clock.age() === undefined && next !== 'live' && next !== 'reconnecting';
      element('dashboard', HTMLElement).hidden = alone;
      document.body.classList.toggle('alone', alone);
      document.title = next === 'live' ? liveTitle : title.replace(/\.$/, '');
      render();
      return `${title} ${advice}`.trim();
    },
  };
}
