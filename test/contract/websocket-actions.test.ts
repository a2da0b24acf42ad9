import { channelKinds, channelOfTopic } from '../../contract/channels/status-channels';
import { topicName } from '../../contract/terms/channel-addresses';
import { type WebSocketActionName, webSocketActions } from '../../contract/websocket-actions';
import { MAX_SAMPLES } from '../../contract/telemetry/telemetry.actions';
import { deviceState } from '../../domain/telemetry/sample';
import { Unreadable } from '../../domain/values/judged';
import { fullSample, id } from '../domain/fixtures/samples';

describe('WebSocket actions', () => {
  const accepts = (action: WebSocketActionName, message: object) =>
    webSocketActions[action].message.safeParse({ action, ...message }).success;
  const device = { deviceId: id('device') };
  const group = { deviceGroupId: id('group') };
  const sample = { ...device, timestamp: '2026-11-27T10:30:15.123Z' };

  describe.each(['subscribe', 'unsubscribe'] as const)('A message with the action %s', (action) => {
    test.each([device, group])('is accepted for %j', (target) => {
      expect(accepts(action, target)).toBe(true);
      expect(accepts(action, { ...target, id: 7 })).toBe(true);
    });

    test.each([{}, { ...device, ...group }, { deviceId: '' }, { deviceId: 7 }, { ...device, since: 0 }])(
      'is refused with %j',
      (target) => {
        expect(accepts(action, target)).toBe(false);
      },
    );
  });

  describe('A message with the action publish', () => {
    test('contains one sample or a list, which are parsed to the same', () => {
      const { message } = webSocketActions.publish;
      for (const telemetry of [sample, [sample]])
        expect(message.parse({ action: 'publish', telemetry }).telemetry).toEqual([sample]);
    });

    test('contains 1 to 40 samples', () => {
      const accepted = [0, 1, 40, 41].map((length) => accepts('publish', { telemetry: Array(length).fill(sample) }));
      expect(accepted).toEqual([false, true, true, false]);
    });

    test('fits into one frame of 32 KB with the maximum of samples, each with every field', () => {
      const message = { action: 'publish', id: 'x'.repeat(64), telemetry: Array(MAX_SAMPLES).fill(fullSample) };
      expect(webSocketActions.publish.message.safeParse(message).success).toBe(true);
      expect(Object.keys(fullSample).sort()).toEqual(['deviceId', ...Object.keys(deviceState.shape)].sort());
      expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThanOrEqual(32 * 1024);
    });

    test.each([
      [0, 'must not be empty'],
      [41, 'must have at most 40 samples'],
    ])('is refused with the allowed number of samples for a list of %d', (length, message) => {
      const list = { action: 'publish', telemetry: Array(length).fill(sample) };
      const { error } = webSocketActions.publish.message.safeParse(list);
      expect(error?.issues).toMatchObject([{ path: ['telemetry'], message }]);
    });

    test('is refused only for its length when it has too many samples, without checking them', () => {
      const list = { action: 'publish', telemetry: Array(100_000).fill({ odd: 1 }) };
      expect(webSocketActions.publish.message.safeParse(list).error?.issues).toHaveLength(1);
    });

    test.each([{ ...sample, battery: { percent: 101 } }, { ...sample, speed: 3 }, null, 'x', [sample]])(
      'is accepted with a sample that is invalid, which is told apart: %j',
      (invalid) => {
        const { telemetry } = webSocketActions.publish.message.parse({
          action: 'publish',
          telemetry: [sample, invalid],
        });
        const [valid, unreadable] = telemetry;
        expect(valid).toMatchObject({ deviceId: sample.deviceId });
        expect(unreadable).toBeInstanceOf(Unreadable);
        expect(unreadable).toMatchObject({ input: invalid });
      },
    );

    test.each([{}, { telemetry: [] }, { telemetry: sample, to: 'x' }])('is refused with %j', (content) => {
      expect(accepts('publish', content)).toBe(false);
    });
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
  ])('a message with the action control and %j is valid: %j', (content, expected) => {
    expect(accepts('control', content)).toBe(expected);
  });

  test.each(['playback', 'flight'] as const)('a message with the action %s has no other fields', (action) => {
    expect(accepts(action, {})).toBe(true);
    expect(accepts(action, device)).toBe(false);
  });
});

describe('channelOfTopic', () => {
  test.each(channelKinds)('returns the channel of the topic of a %s', (kind) => {
    const channel = { kind, id: id(kind) };
    expect(channelOfTopic(topicName(channel))).toEqual(channel);
  });

  test.each([
    ['without a suffix', id('job')],
    ['with the suffix of another kind', `${id('job')}/SHARE/STATUS`],
    ['with a longer suffix', `${id('job')}/JOB/STATUS/x`],
    ['with a level too many', `${id('job')}/x/JOB/STATUS`],
    ['of something that is no identifier', 'job-acme0001-x/JOB/STATUS'],
    ['of a kind without channels', `${id('device')}/DEVICE/STATUS`],
    ['with a wildcard', `+/JOB/STATUS`],
    ['that is empty', ''],
  ])('returns undefined for a topic %s', (_, topic) => {
    expect(channelOfTopic(topic)).toBeUndefined();
  });
});
