import { clients } from '../api/client';
import { drill } from './drill';

const [partner] = clients('stream-faults');
const [stranger] = clients('stranger');

test.each([
  ['twice', { repeated: true }],
  ['two seconds late', { lateMs: 2000 }],
  ['twice and late', { repeated: true, lateMs: 500 }],
])('stream batches that arrive %s are delivered in order, the last state last', async (_, streams) => {
  await drill(partner, stranger, { streams });
});
