import { catchUp } from '../../viewer/live-edge';

describe('Live video', () => {
  test.each([
    ['that plays of now', { position: 100, livePosition: 101, latency: 4 }, undefined],
    ['that is ahead', { position: 104, livePosition: 101, latency: 4 }, undefined],
    ['that is a little behind', { position: 95.5, livePosition: 101, latency: 4 }, undefined],
    ['that was paused for half a minute', { position: 71, livePosition: 101, latency: 4 }, 101],
    ['whose segments are long', { position: 85, livePosition: 101, latency: 20 }, undefined],
    ['that is far behind with long segments', { position: 80, livePosition: 101, latency: 20 }, 101],
    ['that has not begun', { position: 0, livePosition: undefined, latency: 0 }, undefined],
  ])('%s jumps when it is far behind only', (_, playhead, expected) => expect(catchUp(playhead)).toBe(expected));
});
