import { clients } from '../api/client';
import { drill } from './drill';

const [partner] = clients('dynamodb-faults');
const [stranger] = clients('stranger');

describe('DynamoDB', () => {
  test.each([
    ['throttles three calls of ten', { throttled: 0.3 }],
    ['throttles all', { throttled: 1 }],
    ['answers 300 ms late', { slowMs: 300 }],
    ['has done what it answers too late', { slowMs: 2500 }],
    ['is down', { down: true }],
    ['has conflicts at three writes of ten', { conflicting: 0.3 }],
  ])('%s: what is acknowledged stays and is told in order, and all else is refused clearly.', async (_, dynamodb) => {
    await drill(partner, stranger, { dynamodb });
  });
});
