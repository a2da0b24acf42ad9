import { refusals } from '../../../contract/refusals';
import { refuse } from '../../../lambdas/greeting/refusal';
import { gone, said, sockets } from '../../data/fixtures/sockets';
import { store } from '../../data/fixtures/store';
import { closed, sentTo } from '../fixtures/telemetry';

test.each(['too_many_viewers', 'share_not_found'] as const)(
  'A page that is refused for %s is told why in one message, and closed, and the store hears nothing of it.',
  async (code) => {
    await refuse('page', code);
    expect(sentTo('page')).toEqual([{ type: 'error', error: refusals[code].text }]);
    expect(closed()).toEqual(['page']);
    expect(store).not.toHaveReceivedAnyCommand();
  },
);

test('It is waited for while its handshake goes on.', async () => {
  sockets.onAnyCommand().rejectsOnce(gone()).resolves({});
  await refuse('page', 'too_many_viewers');
  expect(said()).toHaveLength(3);
  expect(closed()).toEqual(['page']);
});
