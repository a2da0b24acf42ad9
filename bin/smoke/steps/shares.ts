import { setTimeout as pause } from 'node:timers/promises';
import { createResource } from '../create-resource';
import { callAndExpectReply, call, expectRefusal, expectThat, expectReply, expectRefusedHandshake } from '../api-calls';
import type { Step, SmokeContext } from '../smoke-context';
import { once } from 'node:events';
import { TELEMETRY_PATH } from '../../../contract/websocket-actions';
import { Unexpected } from '../errors';

/** Expires soon in case it is left behind. */
const EXPIRES_IN_SECONDS = 300;

const KEY = 'POST /v3/streams/share';

async function createShare(context: SmokeContext): Promise<string | undefined> {
  const body = {
    resourceId: context.get('fleet').observedId,
    shareType: 'DEVICE_STATUS',
    expiresIn: EXPIRES_IN_SECONDS,
  };
  let answer = await createResource(context, KEY, body);
  const waited = answer.status === 429 ? Number(answer.headers.get('retry-after')) : 0;
  // The last step of another run within this minute has used up the limit.
  if (waited > 0 && waited <= 60) {
    await pause(waited * 1000, undefined, { signal: context.signal });
    answer = await createResource(context, KEY, body);
  }
  context.set('share', expectReply(KEY, answer).share);
  return waited > 0 ? `after ${waited} s for the rate limit after an earlier run` : undefined;
}

async function readShare(context: SmokeContext): Promise<undefined> {
  const { shareCode } = context.get('share');
  const { share } = await callAndExpectReply(context, 'GET /v3/shares/{shareCode}', { path: { shareCode } });
  const { observedId } = context.get('fleet');
  const holds = share.shareCode === shareCode && share.resourceId === observedId;
  expectThat(holds, 'the share as it was created', () => JSON.stringify(share));
}

async function listShares(context: SmokeContext): Promise<undefined> {
  const { shareCode } = context.get('share');
  const { shares } = await callAndExpectReply(context, 'GET /v3/shares');
  expectThat(
    shares.some((share) => share.shareCode === shareCode),
    'the new share among the latest',
    () => `${shares.length} others`,
  );
}

async function listShareResources(context: SmokeContext): Promise<undefined> {
  const { shareCode } = context.get('share');
  const { resources } = await callAndExpectReply(context, 'GET /v3/shares/{shareCode}/resources', {
    path: { shareCode },
  });
  const { observedId } = context.get('fleet');
  const holds = resources.length === 1 && resources[0]?.deviceId === observedId;
  expectThat(holds, 'the shared device', () => JSON.stringify(resources));
}

async function revoke(context: SmokeContext): Promise<undefined> {
  const { shareCode } = context.get('share');
  await callAndExpectReply(context, 'DELETE /v3/shares/{shareCode}', { path: { shareCode } });
  context.cleanUp.remove(`/v3/shares/${shareCode}`);
}

async function isDeleted(context: SmokeContext): Promise<undefined> {
  const { shareCode } = context.get('share');
  expectRefusal(await call(context, 'GET /v3/shares/{shareCode}', { path: { shareCode } }), 404, 'Share not found');
}

export const shareSteps: readonly Step[] = [
  { name: 'create a share', run: createShare },
  { name: 'read the share', run: readShare },
  { name: 'list shares', run: listShares },
  { name: 'resources of the share', run: listShareResources },
];

export const revokeShare: Step = { name: 'revoke the share', run: revoke };
export const shareIsDeleted: Step = { name: '404 for the revoked share', run: isDeleted };

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
