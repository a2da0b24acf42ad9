import { clients } from '../api/client';
import { drill } from './drill';

const [partner] = clients('function-faults');
const [stranger] = clients('stranger');

test.each([
  ['any function', { share: 0.2 }],
  ['the fan-out', { name: 'RealtimeFanOut', share: 0.5 }],
])(
  'when %s is killed while running, acknowledged writes are stored and delivered, and all others are answered with 500',
  async (_, killed) => {
    await drill(partner, stranger, { functions: { killed } });
  },
);
