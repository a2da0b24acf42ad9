import { clients } from '../api/client';
import { drill } from './drill';

const [partner] = clients('function-faults');
const [stranger] = clients('stranger');

test.each([
  ['any function', { share: 0.2 }],
  ['the one that tells followers', { name: 'StatusChannelsFanOut', share: 0.5 }],
])(
  'When %s is killed half-way, what is acknowledged stays and is told, and all else is refused clearly.',
  async (_, killed) => {
    await drill(partner, stranger, { functions: { killed } });
  },
);
