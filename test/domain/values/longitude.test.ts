import { longitudeBeside } from '../../../domain/values/longitude';

test.each([
  [-179.99, 179.99, 180.01],
  [179.99, -179.99, -180.01],
  [8.5, 8.4, 8.5],
  [-90, 89, -90],
  [179, 541, 539],
])('%d beside %d is %d', (longitude, other, expected) => {
  expect(longitudeBeside(longitude, other)).toBeCloseTo(expected, 9);
});
