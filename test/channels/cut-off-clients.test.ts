import { clients } from '../api/client';
import { cutOffDrill } from './cut-off-drill';

test('clients that are cut off at random have every change exactly once and in order, over WSS and from the feed', async () => {
  await cutOffDrill(clients('cut-off'), { clients: 10, cuts: 6, changes: 120, seed: 1 });
});
