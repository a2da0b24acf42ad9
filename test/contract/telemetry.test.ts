import { MAX_SAMPLES, telemetryActions, type TelemetryAction } from '../../contract/telemetry';
import { deviceState } from '../../domain/telemetry';
import { fullSample, id } from '../domain/fixtures/samples';

const accepts = (action: TelemetryAction, message: object) =>
  telemetryActions[action].message.safeParse({ action, ...message }).success;
const device = { deviceId: id('device') };
const group = { deviceGroupId: id('group') };
const sample = { ...device, timestamp: '2026-11-27T10:30:15.123Z' };

describe.each(['subscribe', 'unsubscribe'] as const)('A message to %s', (action) => {
  test.each([device, group])('names %j.', (named) => {
    expect(accepts(action, named)).toBe(true);
    expect(accepts(action, { ...named, id: 7 })).toBe(true);
  });

  test.each([{}, { ...device, ...group }, { deviceId: '' }, { deviceId: 7 }, { ...device, since: 0 }])(
    'is refused with %j.',
    (named) => {
      expect(accepts(action, named)).toBe(false);
    },
  );
});

describe('A message to publish', () => {
  test('brings one sample or a list, which are the same to who takes them.', () => {
    const { message } = telemetryActions.publish;
    for (const telemetry of [sample, [sample]])
      expect(message.parse({ action: 'publish', telemetry }).telemetry).toEqual([sample]);
  });

  test('brings 1 to 40 samples.', () => {
    const accepted = [0, 1, 40, 41].map((length) => accepts('publish', { telemetry: Array(length).fill(sample) }));
    expect(accepted).toEqual([false, true, true, false]);
  });

  test('fits into one frame of 32 KB with as many samples as it may bring, each with all that a sample has.', () => {
    const message = { action: 'publish', id: 'x'.repeat(64), telemetry: Array(MAX_SAMPLES).fill(fullSample) };
    expect(telemetryActions.publish.message.safeParse(message).success).toBe(true);
    expect(Object.keys(fullSample).sort()).toEqual(['deviceId', ...Object.keys(deviceState.shape)].sort());
    expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(32 * 1024);
  });

  test.each([
    [0, 'must have at least 1 samples'],
    [41, 'must have at most 40 samples'],
  ])('says what is wrong with a list of %d.', (length, message) => {
    const list = { action: 'publish', telemetry: Array(length).fill(sample) };
    const { error } = telemetryActions.publish.message.safeParse(list);
    expect(error?.issues).toMatchObject([{ path: ['telemetry'], message }]);
  });

  test('is refused for its length alone when it is too long, whatever is in it.', () => {
    const list = { action: 'publish', telemetry: Array(100_000).fill({ odd: 1 }) };
    expect(telemetryActions.publish.message.safeParse(list).error?.issues).toHaveLength(1);
  });

  test('is refused when one of its samples is wrong, which is named by its place.', () => {
    const telemetry = [sample, { ...sample, battery: { percent: 101 } }];
    const { error } = telemetryActions.publish.message.safeParse({ action: 'publish', telemetry });
    expect(error?.issues).toMatchObject([{ path: ['telemetry', 1, 'battery', 'percent'] }]);
  });

  test.each([{}, { telemetry: null }, { telemetry: 'x' }, { telemetry: [[sample]] }, { telemetry: sample, to: 'x' }])(
    'is refused with %j.',
    (content) => {
      expect(accepts('publish', content)).toBe(false);
    },
  );
});

test.each([
  [{ command: { name: 'HOVER' } }, true],
  [{ command: { name: 'GO_TO', altitude: 40, path: [1, 2] } }, true],
  [{ command: {} }, false],
  [{ command: { name: '' } }, false],
  [{ command: { name: 'x'.repeat(65) } }, false],
  [{ command: 'HOVER' }, false],
  [{}, false],
  [{ command: { name: 'HOVER' }, ...device }, false],
])('A message to control with %j is well formed: %j.', (content, expected) => {
  expect(accepts('control', content)).toBe(expected);
});

test('Only viewers ask for playback, with nothing but the action.', () => {
  expect(accepts('playback', {})).toBe(true);
  expect(accepts('playback', device)).toBe(false);
});
