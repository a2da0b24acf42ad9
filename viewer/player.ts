import Hls from 'hls.js';
import { catchUpRate, type Playhead } from './live-edge';

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
  playhead(): Playhead;
  end(): void;
}

/** How often playback is compared with now, in ms. */
const COMPARE_EVERY_MS = 1000;
/**
 * How far behind its newest picture a browser's own player is kept, in seconds: three segments of two (RFC 8216 section
 * 6.3.3).
 */
const OWN_PLAYER_LATENCY_S = 6;

/** Plays HLS in the first video element below `screen`. */
export function createPlayer(screen: HTMLElement, { onPlaying, onFailure }: PlayerOptions): Player {
  let current: LoadedStream | undefined;
  let next: LoadedStream | undefined;

  function load(video: HTMLVideoElement, url: string): LoadedStream {
    if (!Hls.isSupported()) {
      video.src = url;
      video.onerror = () => [current, next].some((one) => one?.video === video) && onFailure();
      const livePosition = () =>
        video.seekable.length > 0 ? video.seekable.end(video.seekable.length - 1) - OWN_PLAYER_LATENCY_S : undefined;
      return {
        video,
        playhead: () => ({ position: video.currentTime, livePosition: livePosition(), latency: OWN_PLAYER_LATENCY_S }),
        end: () => video.removeAttribute('src'),
      };
    }
    const hls = new Hls({ enableWorker: false, liveSyncDurationCount: 2, backBufferLength: 10 });
    let recovered = false;
    hls.on(Hls.Events.ERROR, (_, { fatal, type }) => {
      if (!fatal) return;
      // A stream that can't be decoded again and again would show nothing, and say nothing.
      if (type === Hls.ErrorTypes.MEDIA_ERROR && !recovered) {
        recovered = true;
        hls.recoverMediaError();
        return;
      }
      onFailure();
    });
    hls.loadSource(url);
    hls.attachMedia(video);
    return {
      video,
      playhead: () => ({
        position: video.currentTime,
        livePosition: hls.liveSyncPosition ?? undefined,
        latency: hls.targetLatency ?? 0,
      }),
      end: () => hls.destroy(),
    };
  }

  /** A viewer who pauses looks at a picture; what plays is of now. */
  function keepLive(): void {
    if (!current || current.video.paused || current.video.seeking) return;
    const position = catchUpRate(current.playhead());
    if (position !== undefined) current.video.currentTime = position;
  }
  setInterval(keepLive, COMPARE_EVERY_MS);
  document.addEventListener('visibilitychange', keepLive);

  function show(ready: LoadedStream): void {
    const before = current;
    current = ready;
    next = undefined;
    ready.video.hidden = false;
    ready.video.addEventListener('play', keepLive);
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
