import { clients } from '../client';
import { fleetOf, givenJob, invalidAt, jobNow } from '../given';

const [partner] = clients('destination');
const { deviceGroupId } = fleetOf(partner);

const create = (fields: object) =>
  partner.call('POST /v3/jobs/create', { body: { name: 'Alarm', deviceGroupId, ...fields } });

describe('The destination of POST /v3/jobs/create', () => {
  const place = { type: 'Point', coordinates: [8.5417, 47.3769] };

  test.each([
    ['a place', { desiredLocation: place, actionOnArrival: 'HOVER' }],
    ['a place with an altitude', { desiredLocation: { ...place, coordinates: [8.5417, 47.3769, 520.5] } }],
    ['a place that is nearly 0, 0', { desiredLocation: { ...place, coordinates: [2.9e-266, 0, -3.4e-209] } }],
    ['a place at a pole, beside 180°', { desiredLocation: { ...place, coordinates: [-180, 90] } }],
    [
      'a circle',
      {
        desiredLocation: place,
        actionOnArrival: 'ORBIT',
        flight: { height: 40, speed: 12.5, orbitRadius: 30, holdSeconds: 120 },
      },
    ],
    ['a mission from a place', { desiredLocation: place, actionOnArrival: 'MISSION', missionId: 'mission-42' }],
    ['a mission with a height', { missionId: 'mission-42', flight: { height: 80 } }],
  ])('stores %s unchanged', async (_, fields) => {
    const { jobId } = await givenJob(partner, fields);
    expect(await jobNow(partner, jobId)).toMatchObject(fields);
  });

  test('says what a place alone means: to hover there', async () => {
    const { jobId } = await givenJob(partner, { desiredLocation: place });
    expect(await jobNow(partner, jobId)).toMatchObject({ actionOnArrival: 'HOVER' });
  });

  test.each<[string, string, object]>([
    ['no point', 'desiredLocation.type', { desiredLocation: { coordinates: [8, 47] } }],
    ['a line for a point', 'desiredLocation.type', { desiredLocation: { ...place, type: 'LineString' } }],
    ['one coordinate', 'desiredLocation.coordinates', { desiredLocation: { ...place, coordinates: [8] } }],
    ['four coordinates', 'desiredLocation.coordinates', { desiredLocation: { ...place, coordinates: [8, 47, 1, 2] } }],
    ['a latitude of 91', 'desiredLocation.coordinates.1', { desiredLocation: { ...place, coordinates: [8, 91] } }],
    ['a longitude of 181', 'desiredLocation.coordinates.0', { desiredLocation: { ...place, coordinates: [181, 4] } }],
    ['a text for a number', 'desiredLocation.coordinates.0', { desiredLocation: { ...place, coordinates: ['8', 4] } }],
    [
      'an altitude of null',
      'desiredLocation.coordinates.2',
      { desiredLocation: { ...place, coordinates: [8, 4, null] } },
    ],
    ['an unknown field of a place', 'desiredLocation.crs', { desiredLocation: { ...place, crs: 'EPSG:2056' } }],
    ['an unknown action', 'actionOnArrival', { desiredLocation: place, actionOnArrival: 'LAND' }],
    ['no location for HOVER', 'desiredLocation', { actionOnArrival: 'HOVER' }],
    ['no mission for MISSION', 'missionId', { desiredLocation: place, actionOnArrival: 'MISSION' }],
    [
      'an altitude and a height',
      'flight.height',
      { desiredLocation: { ...place, coordinates: [8, 47, 500] }, flight: { height: 40 } },
    ],
    ['a height of 501', 'flight.height', { desiredLocation: place, flight: { height: 501 } }],
    ['a speed of 0', 'flight.speed', { desiredLocation: place, flight: { speed: 0 } }],
    ['half a second', 'flight.holdSeconds', { desiredLocation: place, flight: { holdSeconds: 0.5 } }],
    ['an unknown setting', 'flight.altitude', { desiredLocation: place, flight: { altitude: 40 } }],
  ])('answers 400 and names the field for a destination with %s', async (_, path, fields) => {
    expect(await create(fields)).toMatchObject(invalidAt(path));
  });
});
