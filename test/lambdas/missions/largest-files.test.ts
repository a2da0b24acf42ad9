import { MAX_MISSION_BYTES } from '../../../lambdas/missions/read-mission';
import { propertyRuns } from '../../property-runs';
import { largestFiles, outcomeOf } from './largest';

/**
 * In CI half of what a file may have: a row takes minutes or hours where the time grows with the square of the size. Otherwise a quarter: smaller
 * files meet no limit of counts.
 */
const BYTES = Math.max(MAX_MISSION_BYTES / 4, propertyRuns(MAX_MISSION_BYTES / 2));

// No limit of time but that of each test: a slow machine changes nothing.
test.each(largestFiles(BYTES))('%s of %s may fill a file', async (_, mediaType, file, outcome) => {
  const content = await file();
  expect(content.length).toBeLessThanOrEqual(BYTES);
  expect(await outcomeOf(content, mediaType)).toBe(outcome);
});
