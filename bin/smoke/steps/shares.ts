import { setTimeout as pause } from 'node:timers/promises';
import { create } from '../creation';
import { ask, call, expectRefusal, expectThat, replied } from '../endpoint';
import type { Step } from '../step';
import type { Story } from '../story';

/** Ends by itself soon, should it stay behind; in seconds. */
const EXPIRES_IN_SECONDS = 300;

const KEY = 'POST /v3/streams/share';

async function createShare(story: Story): Promise<string | undefined> {
  const body = {
    resourceId: story.take('fleet').observedId,
    shareType: 'DEVICE_STATUS',
    expiresIn: EXPIRES_IN_SECONDS,
  };
  let answer = await create(story, KEY, body);
  const waited = answer.status === 429 ? Number(answer.headers.get('retry-after')) : 0;
  // The last step of another run within this minute has used the limit up.
  if (waited > 0 && waited <= 60) {
    await pause(waited * 1000, undefined, { signal: story.signal });
    answer = await create(story, KEY, body);
  }
  story.give('share', replied(KEY, answer).share);
  return waited > 0 ? `after ${waited} s for the limit of the run before` : undefined;
}

async function readShare(story: Story): Promise<undefined> {
  const { shareCode } = story.take('share');
  const { share } = await ask(story, 'GET /v3/shares/{shareCode}', { path: { shareCode } });
  const { observedId } = story.take('fleet');
  const so = share.shareCode === shareCode && share.resourceId === observedId;
  expectThat(so, 'the share as it was created', () => JSON.stringify(share));
}

async function listShares(story: Story): Promise<undefined> {
  const { shareCode } = story.take('share');
  const { shares } = await ask(story, 'GET /v3/shares');
  expectThat(
    shares.some((share) => share.shareCode === shareCode),
    'the new share among the latest',
    () => `${shares.length} others`,
  );
}

async function listShareResources(story: Story): Promise<undefined> {
  const { shareCode } = story.take('share');
  const { resources } = await ask(story, 'GET /v3/shares/{shareCode}/resources', { path: { shareCode } });
  const { observedId } = story.take('fleet');
  const so = resources.length === 1 && resources[0]?.deviceId === observedId;
  expectThat(so, 'the shared device', () => JSON.stringify(resources));
}

async function revoke(story: Story): Promise<undefined> {
  const { shareCode } = story.take('share');
  await ask(story, 'DELETE /v3/shares/{shareCode}', { path: { shareCode } });
  story.cleanUp.forget(`/v3/shares/${shareCode}`);
}

async function isGone(story: Story): Promise<undefined> {
  const { shareCode } = story.take('share');
  expectRefusal(await call(story, 'GET /v3/shares/{shareCode}', { path: { shareCode } }), 404, 'Share not found');
}

export const shareSteps: readonly Step[] = [
  { name: 'create a share', run: createShare },
  { name: 'read the share', run: readShare },
  { name: 'list shares', run: listShares },
  { name: 'resources of the share', run: listShareResources },
];

export const revokeShare: Step = { name: 'revoke the share', run: revoke };
export const shareIsGone: Step = { name: '404 for the revoked share', run: isGone };
