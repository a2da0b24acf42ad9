import { jobTrack } from '../../../contract/telemetry/tracks.schemas';
import { toGeoJson } from '../../../lambdas/telemetry/track-geo-json';
import { id } from '../../domain/fixtures/samples';
import { job, otherDevice, tracks, tracksWithGaps } from './track-samples';

describe('toGeoJson', () => {
  test('is a line for each device, with what was known at each position; a single one is a point', () => {
    expect(toGeoJson(job, tracks)).toEqual({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          geometry: {
            type: 'LineString',
            coordinates: [
              [-122.4194, 37.7749, 480.5],
              [-122.4184, 37.7749, 481.5],
              [-122.4174, 37.7749, 482.5],
            ],
          },
          properties: {
            jobId: job.jobId,
            name: job.name,
            deviceId: id('device'),
            recorded: 3,
            startTime: '2026-11-27T10:30:00.250Z',
            endTime: '2026-11-27T10:30:02.250Z',
            coordinateProperties: {
              times: ['2026-11-27T10:30:00.250Z', '2026-11-27T10:30:01.250Z', '2026-11-27T10:30:02.250Z'],
              droneStates: ['WAYPOINT', null, 'HOVER'],
              groundSpeeds: [12.5, null, 12.5],
              verticalSpeeds: [-0.5, null, -0.5],
              headings: [270.5, null, 270.5],
              batteryPercents: [81, null, 81],
            },
          },
        },
        {
          type: 'Feature',
          geometry: { type: 'MultiPoint', coordinates: [[-122.4164, 37.7749, 483.5]] },
          properties: {
            jobId: job.jobId,
            name: job.name,
            deviceId: otherDevice,
            recorded: 1,
            startTime: '2026-11-27T10:30:03.250Z',
            endTime: '2026-11-27T10:30:03.250Z',
            coordinateProperties: {
              times: ['2026-11-27T10:30:03.250Z'],
              droneStates: ['=1+1'],
              groundSpeeds: [null],
              verticalSpeeds: [null],
              headings: [null],
              batteryPercents: [null],
            },
          },
        },
      ],
    });
  });

  test('is several lines, cut at gaps and at 180°, and the positions that stand alone', () => {
    const properties = {
      deviceId: id('device'),
      startTime: '2026-11-27T10:30:00.000Z',
      endTime: '2026-11-27T10:30:42.000Z',
      recorded: 5,
    };
    expect(toGeoJson(job, tracksWithGaps).features).toMatchObject([
      {
        geometry: {
          type: 'MultiLineString',
          coordinates: [
            [
              [179.7, -17, 100],
              [179.8, -17, 100],
            ],
            [
              [179.9, -17, 100],
              [180, -17, 100],
            ],
            [
              [-180, -17, 100],
              [-179.9, -17, 100],
            ],
          ],
        },
        properties: {
          ...properties,
          coordinateProperties: {
            times: [
              ['2026-11-27T10:30:00.000Z', '2026-11-27T10:30:10.000Z'],
              ['2026-11-27T10:30:40.000Z', '2026-11-27T10:30:41.000Z'],
              ['2026-11-27T10:30:41.000Z', '2026-11-27T10:30:42.000Z'],
            ],
            headings: [
              [90, null],
              [null, null],
              [null, 90],
            ],
          },
        },
      },
      {
        geometry: { type: 'MultiPoint', coordinates: [[179.85, -17, 100]] },
        properties: {
          ...properties,
          coordinateProperties: { times: ['2026-11-27T10:30:21.000Z'], headings: [45] },
        },
      },
    ]);
  });

  test.each([
    ['a line', tracks],
    ['lines', tracksWithGaps],
  ])('of %s passes the schema of the reply unchanged', (_, some) => {
    const track = toGeoJson(job, some);
    expect(jobTrack.parse(track)).toEqual(track);
  });

  test('has no feature for an empty record', () => {
    expect(toGeoJson(job, [])).toEqual({ type: 'FeatureCollection', features: [] });
  });
});
