import { lineBeside, placeBeside } from '../../viewer/antimeridian';

const place = (longitude: number) => ({ latitude: -17, longitude });

describe('placeBeside', () => {
  test.each([
    [8, undefined, 8],
    [8, 9, 8],
    [-179.5, 179.5, 180.5],
    [179.5, -179.5, -180.5],
    [179.5, 180.5, 179.5],
    [-179.5, 539.5, 540.5],
    [0, 725, 720],
  ])('is for %d beside %p at %d', (longitude, beside, drawn) => {
    expect(placeBeside(place(longitude), beside)).toEqual(place(drawn));
  });
});

describe('lineBeside', () => {
  test.each([
    ['nothing', [], undefined, []],
    ['a line within a world as it is', [8, 9, 10], undefined, [8, 9, 10]],
    ['a line to the east, which ends at its own longitude', [179, 179.5, -179.5], undefined, [-181, -180.5, -179.5]],
    ['a line to the west', [-179, -179.5, 179.5], undefined, [181, 180.5, 179.5]],
    ['a line beside the drone', [179, -179, -178], 183, [179, 181, 182]],
    ['a line there and back', [179.5, -179.5, 179.5], 179, [179.5, 180.5, 179.5]],
    ['a line around the world', [0, 120, -120, 0], undefined, [-360, -240, -120, 0]],
  ])('draws %s', (_, longitudes, end, drawn) => {
    expect(lineBeside(longitudes.map(place), end)).toEqual(drawn.map(place));
  });
});
