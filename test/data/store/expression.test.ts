import { isOneOf, update } from '../../../data/store/expression';

describe('update', () => {
  test('writes what it is told, by placeholders', () => {
    const set = { status: 'online', 'flown.until': 7, note: undefined };
    expect(
      update({
        set,
        setOnce: { ttl: 1 },
        append: { messages: ['a'] },
        remove: ['quiet', 'flown.at'],
        add: { version: 1, calls: undefined },
        subtract: { seats: new Set(['b']) },
        condition: '#status <> :status AND #id = :id AND #flown.#until < :flown_until',
        values: { id: 'x', since: undefined },
      }),
    ).toEqual({
      UpdateExpression:
        'SET #status = :status, #flown.#until = :flown_until, #ttl = if_not_exists(#ttl, :ttl), ' +
        '#messages = list_append(if_not_exists(#messages, :empty), :messages) ' +
        'REMOVE #quiet, #flown.#at ADD #version :version DELETE #seats :seats',
      ConditionExpression: '#status <> :status AND #id = :id AND #flown.#until < :flown_until',
      ExpressionAttributeNames: Object.fromEntries(
        ['status', 'flown', 'until', 'ttl', 'messages', 'quiet', 'at', 'version', 'seats', 'id'].map((name) => [
          `#${name}`,
          name,
        ]),
      ),
      ExpressionAttributeValues: {
        ':status': 'online',
        ':flown_until': 7,
        ':ttl': 1,
        ':messages': ['a'],
        ':version': 1,
        ':seats': new Set(['b']),
        ':id': 'x',
        ':empty': [],
      },
    });
  });

  test('has no values when it only removes: DynamoDB refuses an empty map', () => {
    expect(update({ remove: ['limits'], condition: 'attribute_exists(id)' })).toEqual({
      UpdateExpression: 'REMOVE #limits',
      ConditionExpression: 'attribute_exists(id)',
      ExpressionAttributeNames: { '#limits': 'limits' },
      ExpressionAttributeValues: undefined,
    });
  });

  test.each([{}, { messages: undefined }])('appends nothing of %j, and sends no value for it', (append) => {
    expect(update({ set: { a: 1 }, append })).toMatchObject({
      UpdateExpression: 'SET #a = :a',
      ExpressionAttributeValues: { ':a': 1 },
    });
  });

  test('refuses a value of the condition that would replace one that is written', () => {
    expect(() => update({ set: { status: 'b' }, condition: '#status = :status', values: { status: 'a' } })).toThrow(
      'two values have one name',
    );
  });
});

test('isOneOf numbers the values', () => {
  expect(isOneOf('#status', 'from', ['a', 'b'])).toEqual({
    condition: '#status IN (:from0, :from1)',
    values: { from0: 'a', from1: 'b' },
  });
});
