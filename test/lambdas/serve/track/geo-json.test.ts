import { jobTrack } from '../../../../contract/schemas/tracks';
import { toGeoJson } from '../../../../lambdas/serve/track/geo-json';
import { id } from '../../../domain/fixtures/samples';
import { job, tracks } from './samples';

describe('toGeoJson', () => {
  test('is a line for each device with two positions or more, with what was known at each of them', () => {
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
      ],
    });
  });

  test('passes the schema of the reply unchanged', () => {
    const track = toGeoJson(job, tracks);
    expect(jobTrack.parse(track)).toEqual(track);
  });

  test('has no feature for an empty record', () => {
    expect(toGeoJson(job, [])).toEqual({ type: 'FeatureCollection', features: [] });
  });
});
