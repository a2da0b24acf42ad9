import { once } from 'node:events';
import { TELEMETRY_PATH } from '../../../contract/websocket-actions';
import { expectRefusedHandshake } from '../handshake';
import type { Step } from '../step';
import type { SmokeContext } from '../smoke-context';
import { Unexpected } from '../errors';

const pathOf = (shareCode: string) => `${TELEMETRY_PATH}?${new URLSearchParams({ shareCode }).toString()}`;

/** A viewer connects with only the share code, and receives the share's status first. */
async function viewAsViewer(context: SmokeContext): Promise<undefined> {
  const { shareCode } = context.get('share');
  const viewer = await context.openWebSocket(pathOf(shareCode));
  context.set('viewer', viewer);
  const expected = 'the share, ACTIVE and with a viewer, as the first message';
  const first = await context.receive(viewer.inbox, expected, () => true);
  const holds =
    first['type'] === 'share.status' && first['shareState'] === 'ACTIVE' && Number(first['currentViewers']) > 0;
  if (!holds) throw new Unexpected(expected, JSON.stringify(first));
}

async function isNotified(context: SmokeContext): Promise<undefined> {
  const { inbox, socket } = context.get('viewer');
  await context.receive(inbox, 'a message that the share is REVOKED', ({ shareState }) => shareState === 'REVOKED');
  const closed = await context.withTimeout(context.timeouts.messageMs, (signal) =>
    Promise.race([socket.closed, once(signal, 'abort').then(() => undefined)]),
  );
  if (closed === undefined) throw new Unexpected('a socket that is closed', 'one that stays open');
}

const isRefused = (context: SmokeContext) =>
  expectRefusedHandshake(context, pathOf(context.get('share').shareCode), 404);

export const viewShare: Step = { name: 'view the share', part: 'wss', run: viewAsViewer };
export const viewerIsNotified: Step = { name: 'the viewer is notified and closed', part: 'wss', run: isNotified };
export const viewerIsRefused: Step = { name: 'no viewer connects after that', part: 'wss', run: isRefused };
