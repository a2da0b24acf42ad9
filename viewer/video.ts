import { elapsed } from './clock';
import { errorText } from './error-text';
import { element, setText } from './element';
import { texts } from './locale';
import type { Playback } from './parse-message';
import type { Player } from './player';

export interface Video {
  /** Expects a session, which only a STREAM share has, and asks for it if it does not arrive. */
  enable(): void;
  /** Plays the session that the server returns, and renews it before it expires. */
  onPlayback(playback: Playback): void;
  /** Stops permanently. */
  end(): void;
}

export interface VideoOptions {
  /** Requests a playback session; `onPlayback` gets the answer, if any. */
  readonly requestSession: () => void;
  /** The server's clock, in Unix milliseconds. */
  readonly now: () => number;
}

/** How long before its expiry a session is renewed, and the shortest delay, in ms. */
const RENEW_MS = { before: 45_000, soonest: 5000 };
/** Delays of the next request after a failure, without an answer, and without video, in ms. */
const RETRY_MS = { afterFailure: 5000, unanswered: 15_000, withoutVideo: 30_000 };

/** How often the page looks whether a request is due, in ms: a timer of `setTimeout` stands still while the machine sleeps. */
const LOOK_EVERY_MS = 1000;

/** The live video of a STREAM share. Loads the player on demand: most shares have no video. */
export function createVideo({ requestSession, now }: VideoOptions): Video {
  const stage = element('stage', HTMLElement);
  const screen = element('screen', HTMLElement);
  const note = element('video-note', HTMLElement);
  let player: Promise<Player> | undefined;
  /** When the next session is requested, in elapsed ms. */
  let requestAt: number | undefined;
  let ended = false;

  const showNote = (text: string) => {
    note.hidden = text === '';
    setText(note, text);
  };
  const requestIn = (milliseconds: number) => {
    if (!ended) requestAt = elapsed() + milliseconds;
  };
  setInterval(() => {
    if (requestAt === undefined || elapsed() < requestAt) return;
    requestSession();
    requestIn(RETRY_MS.unanswered);
  }, LOOK_EVERY_MS);
  /** Without a stream the screen has nothing but its note, so that there is no black box. */
  const setScreen = (state: 'waiting' | 'shown' | 'none') => {
    stage.classList.add('with-video');
    screen.hidden = false;
    screen.dataset['video'] = state;
    if (state === 'none') for (const video of screen.querySelectorAll('video')) video.hidden = true;
  };
  const showNoteAndRetry = (text: string) => {
    showNote(`${text} ${texts.video.tryingAgain}`);
    requestIn(RETRY_MS.afterFailure);
  };
  const load = async (): Promise<Player> => {
    const { createPlayer } = await import('./player');
    return createPlayer(screen, {
      onPlaying: () => {
        setScreen('shown');
        showNote('');
      },
      onFailure: () => showNoteAndRetry(texts.video.interrupted),
    });
  };
  const play = (url: string) => {
    player ??= load();
    player
      .then((one) => (ended ? one.stop() : one.play(url)))
      .catch(() => {
        player = undefined;
        showNoteAndRetry(texts.video.notLoaded);
      });
  };

  return {
    enable() {
      if (requestAt === undefined) requestIn(RETRY_MS.unanswered);
    },

    onPlayback({ playback, code }) {
      if (ended) return;
      if (playback) {
        requestIn(Math.max(RENEW_MS.soonest, Date.parse(playback.expiresAt) - now() - RENEW_MS.before));
        if (screen.dataset['video'] !== 'shown') setScreen('waiting');
        play(playback.url);
      } else {
        requestIn(RETRY_MS.withoutVideo);
        setScreen('none');
        void player?.then((one) => one.stop());
        showNote(errorText(code) ?? texts.video.none);
      }
    },

    end() {
      ended = true;
      requestAt = undefined;
      void player?.then((one) => one.stop());
      showNote(texts.video.ended);
    },
  };
}
