import { element, write } from './element';
import type { Playback } from './messages';
import type { Player } from './player';

export interface Video {
  /** Shows the stage with the player, which only a share of a video stream has. */
  enable(): void;
  /** Plays what the server names, and asks anew before it runs out. */
  take(playback: Playback): void;
  /** Stops for good. */
  end(): void;
}

export interface VideoOptions {
  /** Asks the server where the video is; a `take` follows, or nothing when it can't tell. */
  readonly ask: () => void;
  /** The server's clock, in Unix milliseconds. */
  readonly now: () => number;
}

/** How long before its end a session is renewed, and how soon at the earliest, in ms. */
const RENEW = { before: 45_000, soonest: 5000 };
/** When to ask again after a failure, without an answer, and of a drone that films nothing. */
const AGAIN = { afterFailure: 5000, unanswered: 15_000, withoutVideo: 30_000 };

/** The live video of a STREAM share. The player is loaded when it is needed: most shares have no video. */
export function createVideo({ ask, now }: VideoOptions): Video {
  const stage = element('stage', HTMLElement);
  const screen = element('screen', HTMLElement);
  const note = element('video-note', HTMLElement);
  let player: Promise<Player> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;

  const say = (text: string) => {
    note.hidden = text === '';
    write(note, text);
  };
  const askIn = (milliseconds: number) => {
    clearTimeout(timer);
    if (ended) return;
    timer = setTimeout(() => {
      ask();
      askIn(AGAIN.unanswered);
    }, milliseconds);
  };
  const sayAndTryAgain = (text: string) => {
    say(`${text} Trying again…`);
    askIn(AGAIN.afterFailure);
  };
  const load = async (): Promise<Player> => {
    const { createPlayer } = await import('./player');
    return createPlayer(screen, {
      onPlaying: () => say(''),
      onFailure: () => sayAndTryAgain('The video is interrupted.'),
    });
  };
  const play = (url: string) => {
    player ??= load();
    player
      .then((one) => (ended ? one.stop() : one.play(url)))
      .catch(() => {
        player = undefined;
        sayAndTryAgain('The video player could not be loaded.');
      });
  };

  return {
    enable() {
      stage.classList.add('with-video');
      screen.hidden = false;
    },

    take({ playback, error }) {
      if (ended) return;
      if (playback) {
        askIn(Math.max(RENEW.soonest, Date.parse(playback.expiresAt) - now() - RENEW.before));
        play(playback.url);
      } else {
        askIn(AGAIN.withoutVideo);
        say(error ?? 'There is no video at the moment.');
      }
    },

    end() {
      ended = true;
      clearTimeout(timer);
      void player?.then((one) => one.stop());
      say('The video has ended.');
    },
  };
}
