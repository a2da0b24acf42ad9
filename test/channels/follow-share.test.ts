import { topicName } from '../../contract/terms/channel-addresses';
import { statusMessages } from '../../contract/channels/status-messages';
import { clients } from '../api/client';
import { givenShare, givenShortShare } from '../api/given';
import { iso } from '../api/iso';
import { subscribe } from './mqtt-client';
import { cursorOfOrganisation } from './resume';
import { followFromSnapshot, tryToFollow } from './socket';
import { quiet, until } from './until';

const [partner] = clients('follow-share');
const channel = (shareCode: string) => ({ kind: 'share', id: shareCode }) as const;
const revoke = (shareCode: string) => partner.call('DELETE /v3/shares/{shareCode}', { path: { shareCode } });

const givenShareFor = (seconds: number) => givenShortShare(partner, seconds);

describe('A follower of a share', () => {
  test('receives its state first, marked as a snapshot, over WSS and over MQTTS', async () => {
    const { shareCode, expiresAt, maxViewers } = await givenShare(partner);
    const socket = await followFromSnapshot(partner, channel(shareCode));
    const listener = await subscribe(partner, topicName(channel(shareCode)));
    const cursor = cursorOfOrganisation(partner);
    const state = {
      type: 'share.status',
      cursor,
      sequence: 1,
      shareCode,
      shareState: 'ACTIVE',
      currentViewers: 0,
      maxViewers,
      expiresAt,
      timestamp: iso,
    };
    expect(socket.messages).toEqual([{ ...state, snapshot: true }]);
    expect(statusMessages['share.status'].parse(socket.messages[0])).toEqual(socket.messages[0]);
    expect(await listener.first(1)).toEqual([{ ...state, snapshot: true }]);
  });

  test.each([
    ['is revoked', 'REVOKED', async () => (await givenShare(partner)).shareCode, revoke],
    // Long enough for all to follow it before.
    ['expires', 'EXPIRED', () => givenShareFor(10), quiet],
  ] as const)(
    'that %s receives %s, its socket is closed and nothing is retained',
    async (_, shareState, given, end) => {
      const shareCode = await given();
      const topic = topicName(channel(shareCode));
      const sockets = await Promise.all([1, 2, 3].map(() => followFromSnapshot(partner, channel(shareCode))));
      const listener = await subscribe(partner, topic);
      await listener.like({ shareState: 'ACTIVE' });
      await end(shareCode);
      for (const socket of sockets) {
        expect(await socket.closed).toMatchObject({ code: 1000 });
        expect(socket.messages).toMatchObject([{ snapshot: true }, { shareState, sequence: 2, currentViewers: 0 }]);
      }
      // Only MQTT has the cursor: the sockets are closed before the change is in the log.
      const { cursor: _cursor, ...overMqtt } = await listener.like({ shareState });
      expect(sockets[0]?.messages[1]).toMatchObject(overMqtt);

      await until('clearing the retained message', () => listener.received.at(-1)?.text === '' || undefined);
      const late = await subscribe(partner, topic);
      await quiet();
      expect(late.received).toEqual([]);
      expect(await tryToFollow(partner, channel(shareCode))).toMatchObject({ status: 404 });
    },
  );

  test('that expires receives EXPIRED not before its time', async () => {
    const shareCode = await givenShareFor(8);
    const socket = await followFromSnapshot(partner, channel(shareCode));
    const { timestamp, expiresAt } = await socket.like({ shareState: 'EXPIRED' });
    expect(timestamp).toBe(expiresAt);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(String(expiresAt)));
  });

  test('is not closed when another share is revoked', async () => {
    const [revoked, active] = [await givenShare(partner), await givenShare(partner)];
    const socket = await followFromSnapshot(partner, channel(active.shareCode));
    const other = await followFromSnapshot(partner, channel(revoked.shareCode));
    await revoke(revoked.shareCode);
    await other.closed;
    await quiet();
    expect(socket.messages).toHaveLength(1);
    expect(socket.socket.readyState).toBe(socket.socket.OPEN);
  });
});
