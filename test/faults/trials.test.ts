import { clients } from '../api/client';
import { drill } from './drill';

const [partner] = clients('dynamodb-faults');
const [stranger] = clients('stranger');

describe('DynamoDB', () => {
  test.each([
    ['throttles 30 % of calls', { throttled: 0.3 }],
    ['throttles all calls', { throttled: 1 }],
    ['answers 300 ms late', { slowMs: 300 }],
    ['times out after it has written', { slowMs: 2500 }],
    ['is down', { down: true }],
    ['has conflicts in 30 % of writes', { conflicting: 0.3 }],
  ])(
    '%s: acknowledged writes are stored and delivered in order, and all others are answered with 500',
    async (_, dynamodb) => {
      await drill(partner, stranger, { dynamodb });
    },
  );
});
