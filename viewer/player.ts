import Hls from 'hls.js';

export interface Player {
  /** Plays a stream; the one before it stays in view until the new one moves. */
  play(url: string): void;
  stop(): void;
}

export interface PlayerOptions {
  onPlaying(): void;
  /** The stream can't be played on: its session has run out, or the network is gone. */
  onFailure(): void;
}

/** A stream in a video element of its own. */
interface Showing {
  readonly video: HTMLVideoElement;
  end(): void;
}

/** Plays HLS in the first video element below `screen`. */
export function createPlayer(screen: HTMLElement, { onPlaying, onFailure }: PlayerOptions): Player {
  let current: Showing | undefined;
  let next: Showing | undefined;

  function load(video: HTMLVideoElement, url: string): Showing {
    if (!Hls.isSupported()) {
      video.src = url;
      video.onerror = () => [current, next].some((one) => one?.video === video) && onFailure();
      return { video, end: () => video.removeAttribute('src') };
    }
    const hls = new Hls({ enableWorker: false, liveSyncDurationCount: 2, backBufferLength: 10 });
    hls.on(Hls.Events.ERROR, (_, { fatal, type }) => {
      if (!fatal) return;
      if (type === Hls.ErrorTypes.MEDIA_ERROR) return hls.recoverMediaError();
      onFailure();
    });
    hls.loadSource(url);
    hls.attachMedia(video);
    return { video, end: () => hls.destroy() };
  }

  function show(ready: Showing): void {
    const before = current;
    current = ready;
    next = undefined;
    ready.video.hidden = false;
    if (before) {
      Object.assign(ready.video.dataset, before.video.dataset);
      before.end();
      before.video.remove();
    }
    onPlaying();
  }

  return {
    play(url) {
      next?.end();
      if (current) next?.video.remove();
      const first = screen.querySelector('video');
      if (!first) return;
      const video = current ? behind(current.video) : first;
      const loading = load(video, url);
      next = loading;
      video.addEventListener('playing', () => next === loading && show(loading), { once: true });
      // Browsers let a silent video start by itself; where one doesn't, the viewer has the player's own button.
      video.muted = true;
      video.play().catch(() => undefined);
    },

    stop() {
      for (const one of [current, next]) {
        one?.video.pause();
        one?.end();
      }
      current = next = undefined;
    },
  };
}

/** A second element behind the one in view, where a stream can get ready. */
function behind(shown: HTMLVideoElement): HTMLVideoElement {
  const video = document.createElement('video');
  video.controls = video.playsInline = video.hidden = true;
  video.ariaLabel = shown.ariaLabel;
  shown.after(video);
  return video;
}
