import Hls from 'hls.js';

export interface Player {
  /** Plays a stream; the previous one stays visible until the new one plays. */
  play(url: string): void;
  stop(): void;
}

export interface PlayerOptions {
  readonly onPlaying: () => void;
  /** Playback failed: its session has expired, or the network is down. */
  readonly onFailure: () => void;
}

/** A stream in its own video element. */
interface LoadedStream {
  readonly video: HTMLVideoElement;
  end(): void;
}

/** Plays HLS in the first video element below `screen`. */
export function createPlayer(screen: HTMLElement, { onPlaying, onFailure }: PlayerOptions): Player {
  let current: LoadedStream | undefined;
  let next: LoadedStream | undefined;

  function load(video: HTMLVideoElement, url: string): LoadedStream {
    if (!Hls.isSupported()) {
      video.src = url;
      video.onerror = () => [current, next].some((one) => one?.video === video) && onFailure();
      return { video, end: () => video.removeAttribute('src') };
    }
    const hls = new Hls({ enableWorker: false, liveSyncDurationCount: 2, backBufferLength: 10 });
    hls.on(Hls.Events.ERROR, (_, { fatal, type }) => {
      if (!fatal) return;
      if (type === Hls.ErrorTypes.MEDIA_ERROR) {
        hls.recoverMediaError();
        return;
      }
      onFailure();
    });
    hls.loadSource(url);
    hls.attachMedia(video);
    return { video, end: () => hls.destroy() };
  }

  function show(ready: LoadedStream): void {
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
      const video = current ? addHiddenVideo(current.video) : first;
      const loading = load(video, url);
      next = loading;
      video.addEventListener('playing', () => next === loading && show(loading), { once: true });
      // Browsers autoplay muted videos; where one does not, the viewer uses the player's button.
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

/** Adds a hidden video element, where the next stream loads. */
function addHiddenVideo(shown: HTMLVideoElement): HTMLVideoElement {
  const video = document.createElement('video');
  video.controls = video.playsInline = video.hidden = true;
  video.ariaLabel = shown.ariaLabel;
  shown.after(video);
  return video;
}
