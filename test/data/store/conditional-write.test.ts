import { useRealConnection } from '../fixtures/real-connection';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { isRepeat } from '../../../data/store/conditional-write';
import { dynamodb } from '../../../data/store/dynamodb';

describe('isRepeat over a real connection', () => {
  /** What happens to each call, in order: its answer is lost, or its condition is found not to hold. */
  let fates: ('lost' | 'refused')[] = [];

  useRealConnection((request, response) => {
    if (fates.shift() === 'lost') request.socket.destroy();
    else response.writeHead(400).end('{"__type":"ConditionalCheckFailedException"}');
  });

  const refusal = async () => {
    const deletion = dynamodb.send(new DeleteCommand({ TableName: 'jobs', Key: { id: 'a' } }));
    return deletion.then(
      () => undefined,
      (error: unknown) => error,
    );
  };

  test.each([
    [false, 'at once', ['refused']],
    [true, 'after an answer that was lost', ['lost', 'refused']],
  ] as const)('returns %s when the condition fails %s', async (repeat, _, happens) => {
    fates = [...happens];
    const error = await refusal();
    expect(error).toBeInstanceOf(ConditionalCheckFailedException);
    expect(isRepeat(error)).toBe(repeat);
    expect(fates).toEqual([]);
  });
});

test.each([
  ['another fault, however often it was tried', Object.assign(new Error('throttled'), { $metadata: { attempts: 3 } })],
  [
    'a refusal that does not say how often it was tried',
    new ConditionalCheckFailedException({ message: 'no', $metadata: {} }),
  ],
])('isRepeat returns false for %s', (_, error) => {
  expect(isRepeat(error)).toBe(false);
});
