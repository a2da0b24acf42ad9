import { readGuide, rowsBelow } from '../../guides/read/guide';
import { smallTable, synthesise } from '../synthesised';

test('the guide has the errors that API Gateway answers by itself', () => {
  const text = JSON.stringify(synthesise({}, smallTable).template.toJSON());
  const fixed = [...text.matchAll(/\\"error\\":\\"([^"\\$]+)\\"/g)].map(([, error = '']) => error);
  expect(fixed).toEqual(expect.arrayContaining(['Not found', 'Method not allowed', 'Internal server error']));
  const listed = rowsBelow(readGuide('errors'), 'REST API').map(([, error = '']) => error.replaceAll('`', ''));
  expect(fixed.filter((error) => !listed.includes(error))).toEqual([]);
});
