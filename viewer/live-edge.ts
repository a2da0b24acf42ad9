/** What playback of live video is far behind by, at least, in seconds: below, catching up disturbs more than it helps. */
const FAR_BEHIND_S = 6;

/** Where live video plays, and where it should; in seconds of the media. */
export interface Playhead {
  readonly position: number;
  /** The newest position that plays without a stall; undefined while it is not known. */
  readonly livePosition: number | undefined;
  /** How far that is behind the newest picture: streams with long segments vary by as much. */
  readonly latency: number;
}

/**
 * Where playback jumps to after a pause, a hidden tab or a stall, so that the picture is of now; undefined when it is
 * near enough.
 */
export function catchUpRate({ position, livePosition = position, latency }: Playhead): number | undefined {
  return livePosition - position > Math.max(FAR_BEHIND_S, latency) ? livePosition : undefined;
}
