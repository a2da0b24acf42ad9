import { parseMessage } from '../../viewer/messages';

describe('parseMessage', () => {
  test.each([
    ['invalid JSON', '{'],
    ['a number', '7'],
    ['null', 'null'],
    ['an object without a type', '{}'],
    ['an unknown type', '{"type":"device.mood"}'],
    ['binary data', new ArrayBuffer(2)],
  ])('ignores %s', (_, data) => expect(parseMessage(data)).toBeUndefined());

  test('returns a message of a known type', () => {
    expect(parseMessage('{"type":"pong","id":"1"}')).toEqual({ type: 'pong', id: '1' });
  });
});
