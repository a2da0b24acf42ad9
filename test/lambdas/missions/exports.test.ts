import { becomes, exportedFiles } from './exports';

test.each(exportedFiles)('%s: %s', async (_program, _shows, mediaType, content, outcome) => {
  expect(await becomes(await content(), mediaType)).toEqual(outcome);
});
