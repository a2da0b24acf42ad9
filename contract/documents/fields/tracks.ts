import type { Fields } from '../field';

const order = 'at each position, in the order of `coordinates`';
const times = ['2026-11-27T10:30:15.123Z', '2026-11-27T10:30:16.118Z'];

/** Fields of a job's track. */
export const trackFields: Fields = {
  batteryPercents: {
    description: `Charge of the battery in percent ${order}; \`null\` if it was not known.`,
    examples: [[81, 81]],
  },
  coordinateProperties: { description: 'What was known at each position.' },
  droneStates: {
    description: `What the drone did ${order}; \`null\` if it was not known.`,
    examples: [['WAYPOINT', 'WAYPOINT']],
  },
  endTime: {
    description: 'Time of the last position by the device’s clock. ISO 8601 in UTC.',
    examples: [times[1]],
    format: 'date-time',
  },
  features: { description: 'A feature for each device that flew the job, with two positions or more: mostly one.' },
  geometry: { description: 'The line that the device flew.' },
  groundSpeeds: {
    description: `Speed over ground in metres per second ${order}; \`null\` if it was not known.`,
    examples: [[12.5, 12.4]],
  },
  headings: {
    description: `Degrees clockwise from true north ${order}; \`null\` if it was not known.`,
    examples: [[270.5, null]],
  },
  properties: { description: 'What the line is.' },
  recorded: {
    description:
      'How many positions of the device were recorded. `coordinates` has fewer if the track was thinned out.',
    examples: [2],
    minimum: 2,
  },
  startTime: {
    description: 'Time of the first position by the device’s clock. ISO 8601 in UTC.',
    examples: [times[0]],
    format: 'date-time',
  },
  times: {
    description: `Time by the device’s clock ${order}. ISO 8601 in UTC.`,
    examples: [times],
  },
  verticalSpeeds: {
    description: `Metres per second, positive upwards, ${order}; \`null\` if it was not known.`,
    examples: [[-0.5, null]],
  },
  'JobTrack.type': { description: 'Always `FeatureCollection`.' },
  'TrackFeature.type': { description: 'Always `Feature`.' },
  'TrackGeometry.coordinates': {
    description:
      'Longitude and latitude in degrees, then altitude in metres above mean sea level, for each position, oldest first.',
    examples: [
      [
        [8.5417, 47.3769, 485.5],
        [8.5418, 47.3769, 485.4],
      ],
    ],
    minItems: 2,
  },
  'TrackGeometry.type': { description: 'Always `LineString`.' },
  'TrackProperties.name': { description: 'Name of the job.', examples: ['Rim inspection'] },
};
