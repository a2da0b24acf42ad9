import type { Fields, Objects } from '../terms/field';

const order = 'at each position, in the order of `coordinates`';
const times = ['2026-11-27T10:30:15.123Z', '2026-11-27T10:30:16.118Z'];
const position = 'Longitude and latitude in degrees, then altitude in metres above mean sea level';
const line = [
  [8.5417, 47.3769, 485.5],
  [8.5418, 47.3769, 485.4],
];
/** Of the same device after a gap. */
const later = [
  [8.5441, 47.3771, 490.1],
  [8.5442, 47.3771, 490.1],
];

/** Lists with an element for each position. */
const lists: Fields = {
  batteryPercents: {
    description: `Charge of the battery in percent ${order}; \`null\` if it was not known.`,
    examples: [[81, 81]],
  },
  droneStates: {
    description: `What the drone did ${order}; \`null\` if it was not known.`,
    examples: [['WAYPOINT', 'WAYPOINT']],
  },
  groundSpeeds: {
    description: `Speed over ground in metres per second ${order}; \`null\` if it was not known.`,
    examples: [[12.5, 12.4]],
  },
  headings: {
    description: `Degrees clockwise from true north ${order}; \`null\` if it was not known.`,
    examples: [[270.5, null]],
  },
  times: {
    description: `Time by the device’s clock ${order}. ISO 8601 in UTC.`,
    examples: [times],
  },
  verticalSpeeds: {
    description: `Metres per second, positive upwards, ${order}; \`null\` if it was not known.`,
    examples: [[-0.5, null]],
  },
};

/** The same lists for each of several lines. */
const ofLines = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { description, examples = [] }]) => [
      `CoordinatePropertiesOfLines.${name}`,
      {
        description: `For each line: ${description[0]?.toLowerCase()}${description.slice(1)}`,
        examples: [[examples[0], examples[0]]],
      },
    ]),
  );

/** Fields of a job's track. */
export const trackFields: Fields = {
  ...lists,
  coordinateProperties: {
    description:
      'What was known at each position: lists like `coordinates`, of a `MultiLineString` a list for each line.',
  },
  endTime: {
    description: 'Time of the device’s last position by its clock. ISO 8601 in UTC.',
    examples: [times[1]],
    format: 'date-time',
  },
  features: {
    description:
      'The devices that flew the job, mostly one. A device has a feature with its line, or with its lines if there are gaps of ' +
      'more than ten seconds between its positions; and one more if positions stand alone between two gaps.',
  },
  geometry: { description: 'A line, several lines, or points.' },
  properties: { description: 'Whose positions they are, and of which job.' },
  recorded: {
    description:
      'How many positions of the device were recorded. Its features have fewer if its track was thinned out, and more where it ' +
      'crossed 180°.',
    examples: [2],
    minimum: 1,
  },
  startTime: {
    description: 'Time of the device’s first position by its clock. ISO 8601 in UTC.',
    examples: [times[0]],
    format: 'date-time',
  },
  'GetJobTrackQuery.format': {
    description: 'The format, instead of by `Accept`.',
    examples: ['geojson'],
  },
  'JobTrack.type': { description: 'Always `FeatureCollection`.' },
  'TrackFeature.type': { description: 'Always `Feature`.' },
  ...ofLines(lists),
  'LineString.coordinates': {
    description: `${position}, for each position, oldest first.`,
    examples: [line],
    minItems: 2,
  },
  'LineString.type': { description: 'Always `LineString`.' },
  'MultiLineString.coordinates': {
    description: `The positions of each line, oldest first: ${position.toLowerCase()}.`,
    examples: [[line, later]],
    minItems: 2,
  },
  'MultiLineString.type': { description: 'Always `MultiLineString`.' },
  'MultiPoint.coordinates': {
    description: `${position}, for each position, oldest first.`,
    examples: [line.slice(0, 1)],
    minItems: 1,
  },
  'MultiPoint.type': { description: 'Always `MultiPoint`.' },
  'TrackProperties.name': { description: 'Name of the job.', examples: ['Rim inspection'] },
};

/** Objects in replies, by the export of their schema: generated clients have a class for each. */
export const trackObjects: Objects = {
  jobTrack: 'Where a job was flown, in GeoJSON (RFC 7946).',
  trackFeature: 'The lines that a device flew, or its positions that stand alone.',
  lineString: 'A GeoJSON line (RFC 7946).',
  multiLineString: 'GeoJSON lines (RFC 7946): between gaps of more than ten seconds, and on both sides of 180°.',
  multiPoint: 'GeoJSON points (RFC 7946): positions of a device between two gaps, which make no line.',
  geometry: 'A line, several lines, or points.',
  propertiesOfCoordinates:
    'What was known at each position: lists like `coordinates`, of a `MultiLineString` a list for each line.',
  trackProperties: 'Whose positions they are, and of which job.',
  coordinateProperties: 'Lists with as many elements as a line, or points, have positions.',
  coordinatePropertiesOfLines: 'Lists with a list for each line, which has as many elements as the line has positions.',
};
