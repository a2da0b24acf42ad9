import { MAX_MISSION_BYTES } from '../../../lambdas/missions/read-mission';
import { largestFiles, outcomeOf } from './largest';

/** Half of what a file may have, so that the table takes half as long: where the time grows with the square of the size, a row takes minutes or hours. */
const BYTES = MAX_MISSION_BYTES / 2;

// No limit of time but that of each test: a slow machine changes nothing.
test.each(largestFiles(BYTES))('%s of %s may fill a file', async (_, mediaType, file, outcome) => {
  const content = await file();
  expect(content.length).toBeLessThanOrEqual(BYTES);
  expect(await outcomeOf(content, mediaType)).toBe(outcome);
});
