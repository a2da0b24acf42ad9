import { trackMediaTypes } from '../../contract/telemetry/tracks.schemas';
import { median, type Measurement } from './support/figure';
import { recordFlight } from './support/recorded-flight';

const HALF_AN_HOUR_S = 30 * 60;
const REQUESTS = 20;

/** The track of a flight of 30 minutes in each format: time of the function with its store, and size. */
export const jobTrack: Measurement = async () => {
  const flight = await recordFlight(HALF_AN_HOUR_S);
  const measured = [];
  for (const type of trackMediaTypes) {
    const times: number[] = [];
    let bytes = 0;
    // The first request is among them: a track is mostly asked for once.
    for (let index = 0; index < REQUESTS; index++) {
      const begin = performance.now();
      bytes = Buffer.byteLength(await flight.track(type));
      times.push(performance.now() - begin);
    }
    const most = Math.max(...times);
    measured.push({
      figure: `track of 30 minutes, a position a second, ${type}`,
      measured: `median ${median(times).toFixed(0)} ms, at most ${most.toFixed(0)} ms, ${(bytes / 1e6).toFixed(2)} MB`,
      mustBe: 'under 300 ms, under 1 MB',
      ok: most < 300 && bytes < 1_000_000,
    });
  }
  return measured;
};
