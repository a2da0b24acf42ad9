import { parseMessage } from '../../viewer/parse-message';

const read = (message: object) => parseMessage(JSON.stringify(message));
const timestamp = '2026-11-26T10:00:00.000Z';
const position = { type: 'Point', coordinates: [8.5417, 47.3769, 482.2] };

describe('parseMessage', () => {
  test.each([
    ['invalid JSON', '{'],
    ['a number', '7'],
    ['null', 'null'],
    ['a list', '[{"type":"pong"}]'],
    ['an object without a type', '{}'],
    ['an unknown type', '{"type":"device.mood"}'],
    ['a type that every object has', '{"type":"constructor"}'],
    ['binary data', new ArrayBuffer(2)],
  ])('ignores %s', (_, data) => expect(parseMessage(data)).toBeUndefined());

  test('returns a message of a known type', () => {
    expect(parseMessage('{"type":"accepted","id":"1"}')).toEqual({ type: 'accepted', id: '1' });
  });
});

describe('Of a sample', () => {
  const sample = (more: object) => ({ type: 'device.telemetry', timestamp, ...more });

  test.each([
    ['a latitude of 91', { navigation: { position: { ...position, coordinates: [8, 91, 400] } } }, { navigation: {} }],
    [
      'a longitude of -181',
      { navigation: { position: { ...position, coordinates: [-181, 9, 400] } } },
      { navigation: {} },
    ],
    ['two coordinates', { navigation: { position: { ...position, coordinates: [8, 47] } } }, { navigation: {} }],
    ['a position as text', { navigation: { position: '8,47' } }, { navigation: {} }],
    ['a number as text', { battery: { percent: '76', voltage: 23.1 } }, { battery: { voltage: 23.1 } }],
    ['null for an object', { battery: null, droneState: 'HOVER' }, { droneState: 'HOVER' }],
    ['a list for an object', { weather: [], droneState: 'HOVER' }, { droneState: 'HOVER' }],
    ['an object for a text', { droneState: {}, dockState: 'OPEN' }, { dockState: 'OPEN' }],
    [
      'an age that is none',
      { measuredBefore: { battery: 2, weather: -1, droneState: 'long' } },
      { measuredBefore: { battery: 2 } },
    ],
    ['an age of nothing', { measuredBefore: 7 }, {}],
    ['the job', { jobId: 'job-1', progress: { percent: 7 } }, { progress: { percent: 7 } }],
    ['fields of a later version', { mood: 1, battery: { percent: 7, cycles: 3 } }, { battery: { percent: 7 } }],
    [
      'a heading of 400',
      { navigation: { position, orientation: { heading: 400 } } },
      { navigation: { position, orientation: {} } },
    ],
  ] as [string, object, object][])('%s is left out, and the rest is shown', (_, more, expected) => {
    expect(read(sample(more))).toStrictEqual(sample(expected));
  });

  test.each([[{ timestamp: 'yesterday' }], [{ timestamp: 1764151200 }], [{ timestamp: undefined }]])(
    'nothing can be shown with %j',
    (more) => expect(read(sample(more))).toBeUndefined(),
  );
});

describe('Of other messages', () => {
  const point = { timestamp, coordinates: position.coordinates };
  const flight = { type: 'share.flight', track: [point] };
  const share = { type: 'share.status', shareState: 'ACTIVE', currentViewers: 1, maxViewers: 10 };

  test.each([
    ['points that do not hold', { ...flight, track: [null, point, { ...point, coordinates: [8, 91, 1] }] }, flight],
    ['a take-off without a height', { ...flight, takeOff: { timestamp } }, flight],
    ['a name that cannot be seen', { ...flight, deviceName: '\u202E' }, flight],
    ['controls in a name', { ...flight, jobName: '\u202Eroof\n2' }, { ...flight, jobName: 'roof 2' }],
    ['a time that is none', { ...share, expiresAt: 'soon' }, share],
    ['counts that are none', { ...share, maxViewers: '10' }, { ...share, maxViewers: undefined }],
    [
      'permissions of a later version',
      { ...share, permissions: ['view', 'sing'] },
      { ...share, permissions: ['view'] },
    ],
    [
      'the reason of a later version',
      { type: 'control.outcome', requestId: 'r', outcome: 'FAILED', reason: 'MOOD' },
      { type: 'control.outcome', requestId: 'r', outcome: 'FAILED' },
    ],
  ])('%s are left out', (_, message, expected) => expect(read(message)).toEqual(expected));

  test.each([
    ['a state that the page does not know', { ...share, shareState: 'PAUSED' }],
    ['a track that is none', { ...flight, track: 'long' }],
    ['a video without an address', { type: 'share.playback', playback: { expiresAt: timestamp } }],
    ['an outcome that the page does not know', { type: 'control.outcome', requestId: 'r', outcome: 'MAYBE' }],
  ])('%s says nothing', (_, message) => expect(read(message)).toBeUndefined());
});
