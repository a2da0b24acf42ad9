import { isPointDue, readTrack, savePoint } from '../../../data/fleet/flight-track';
import { BatchGetCommand, UpdateCommand } from '../../../data/store/document-client';
import { id } from '../../domain/fixtures/samples';
import { onlyCommand, sent, store } from '../fixtures/store';

const MINUTE = Date.parse('2026-11-27T10:30:00.000Z') / 60_000;
const at = (seconds: number) => new Date(MINUTE * 60_000 + seconds * 1000).toISOString();
const state = (seconds: number) => ({
  timestamp: at(seconds),
  navigation: {
    position: { type: 'Point' as const, coordinates: [8.541694, 47.376887, 485.5] as [number, number, number] },
    velocity: { groundSpeed: 12.5 },
  },
});
const takeOff = { timestamp: at(0), altitude: 440 };

describe('isPointDue', () => {
  test.each([
    ['in the same five seconds', 0, 4.999, false],
    ['in the next five seconds', 4.999, 5, true],
    ['minutes later', 0, 600, true],
  ])('of a state %s as the stored one is as expected: %s s, then %s s: %s', (_, stored, next, expected) => {
    expect(isPointDue({ lastState: state(stored), takeOff }, state(next), takeOff)).toBe(expected);
  });

  test('is true for the first state of a flight', () => {
    expect(isPointDue({ lastState: state(0) }, state(1), takeOff)).toBe(true);
    expect(isPointDue({}, state(1), takeOff)).toBe(true);
  });

  test('is false for a device that is not in flight', () => {
    expect(isPointDue({ lastState: state(0) }, state(60), undefined)).toBe(false);
    expect(isPointDue({ lastState: state(0), takeOff }, state(60), undefined)).toBe(false);
  });
});

describe('savePoint', () => {
  test('sets one of twelve attributes of the item of its minute, which expires after a day', async () => {
    store.on(UpdateCommand).resolves({});
    await savePoint(id('device'), state(57.25));
    expect(onlyCommand()).toEqual({
      TableName: 'requests',
      Key: { id: `track#${id('device')}#${MINUTE}` },
      UpdateExpression: 'SET #point = :point, #ttl = :ttl',
      ExpressionAttributeNames: { '#point': 'p11', '#ttl': 'ttl' },
      ExpressionAttributeValues: {
        ':point': [Date.parse(at(57.25)), 8.541694, 47.376887, 485.5, 12.5],
        ':ttl': MINUTE * 60 + 58 + 86_400,
      },
    });
  });

  test('writes nothing for a state without a position', async () => {
    await savePoint(id('device'), { timestamp: at(0), droneState: 'HOVER' });
    expect(sent()).toEqual([]);
  });
});

describe('readTrack', () => {
  const item = (minute: number, points: Readonly<Record<string, unknown>>) => ({
    id: `track#${id('device')}#${MINUTE + minute}`,
    ttl: 4e9,
    ...points,
  });
  const point = (seconds: number) => [Date.parse(at(seconds)), 8.5, 47.4, 480];
  const times = (points: readonly { timestamp: string }[]) => points.map(({ timestamp }) => timestamp);

  test('reads the minutes of the flight at once, and returns its points in order', async () => {
    store.on(BatchGetCommand).resolves({
      Responses: {
        requests: [
          item(1, { p0: point(62), p10: [...point(110), 3.5], p2: point(71) }),
          // Of the flight before, and after the end that was asked for.
          item(0, { p0: point(1), p3: point(15), p11: point(55) }),
          item(2, { p0: point(121) }),
        ],
      },
    });
    const track = await readTrack(id('device'), at(10), at(120));
    expect(times(track)).toEqual([15, 55, 62, 71, 110].map(at));
    expect(track.at(-1)).toEqual({ timestamp: at(110), coordinates: [8.5, 47.4, 480], groundSpeed: 3.5 });
    expect(track[0]).toEqual({ timestamp: at(15), coordinates: [8.5, 47.4, 480] });
    const Keys = [0, 1, 2].map((minute) => ({ id: `track#${id('device')}#${MINUTE + minute}` }));
    expect(onlyCommand()).toEqual({ RequestItems: { requests: { Keys } } });
  });

  test('reads at most the last 24 hours, a hundred minutes at a time', async () => {
    store.on(BatchGetCommand).resolves({ Responses: { requests: [] } });
    await readTrack(id('device'), '2020-01-01T00:00:00.000Z', at(0));
    const keys = sent().map(
      (input) => (input as { RequestItems: { requests: { Keys: unknown[] } } }).RequestItems.requests.Keys,
    );
    expect(keys.map(({ length }) => length)).toEqual([...Array<number>(14).fill(100), 41]);
  });

  test('fails when DynamoDB left out keys', async () => {
    store.on(BatchGetCommand).resolves({ Responses: {}, UnprocessedKeys: { requests: { Keys: [{ id: 'track' }] } } });
    await expect(readTrack(id('device'), at(0), at(1))).rejects.toThrow('left out keys');
  });

  test('leaves out an item that cannot be read', async () => {
    const logged = jest.spyOn(console, 'error').mockReturnValue(undefined);
    store.on(BatchGetCommand).resolves({ Responses: { requests: [item(0, { p0: 'x' }), item(1, { p0: point(60) })] } });
    expect(times(await readTrack(id('device'), at(0), at(90)))).toEqual([at(60)]);
    expect(logged).toHaveBeenCalledTimes(1);
    logged.mockRestore();
  });
});
