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

/** How long before its end a session is renewed, how soon at the earliest, and when after a failure, in ms. */
const RENEW = { before: 45_000, soonest: 10_000, afterFailure: 5000 };

/** The live video of a STREAM share. The player is loaded when it is needed: most shares have no video. */
export function createVideo(askForPlayback: () => void): Video {
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
    if (!ended) timer = setTimeout(askForPlayback, milliseconds);
  };
  const load = async (): Promise<Player> => {
    const { createPlayer } = await import('./player');
    return createPlayer(screen, {
      onPlaying: () => say(''),
      onFailure: () => {
        say('The video is interrupted. Trying again…');
        askIn(RENEW.afterFailure);
      },
    });
  };

  return {
    enable() {
      stage.classList.add('with-video');
      screen.hidden = false;
    },

    take({ playback, error }) {
      if (ended) return;
      if (!playback) return say(error ?? 'There is no video at the moment.');
      askIn(Math.max(RENEW.soonest, Date.parse(playback.expiresAt) - Date.now() - RENEW.before));
      player ??= load();
      player
        .then((one) => (ended ? one.stop() : one.play(playback.url)))
        .catch(() => {
          player = undefined;
          say('The video player could not be loaded. Trying again…');
          askIn(RENEW.afterFailure);
        });
    },

    end() {
      ended = true;
      clearTimeout(timer);
      void player?.then((one) => one.stop());
      say('The video has ended.');
    },
  };
}
