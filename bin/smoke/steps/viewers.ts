import { once } from 'node:events';
import { TELEMETRY_PATH } from '../../../contract/telemetry';
import { expectRefusedHandshake } from '../handshake';
import type { Step } from '../step';
import type { Story } from '../story';
import { Unexpected } from '../unexpected';

const pathOf = (shareCode: string) => `${TELEMETRY_PATH}?${new URLSearchParams({ shareCode }).toString()}`;

/** A viewer comes with nothing but the share code, and is told of the share first. */
async function view(story: Story): Promise<undefined> {
  const { shareCode } = story.take('share');
  const viewer = await story.listen(pathOf(shareCode));
  story.give('viewer', viewer);
  const expected = 'the share, ACTIVE and with a viewer, as the first message';
  const first = await story.hear(viewer.inbox, expected, () => true);
  const so =
    first['type'] === 'share.status' && first['shareState'] === 'ACTIVE' && Number(first['currentViewers']) > 0;
  if (!so) throw new Unexpected(expected, JSON.stringify(first));
}

async function isToldOfTheEnd(story: Story): Promise<undefined> {
  const { inbox, socket } = story.take('viewer');
  await story.hear(inbox, 'a message that the share is REVOKED', ({ shareState }) => shareState === 'REVOKED');
  const closed = await story.within(story.patience.messageMs, (signal) =>
    Promise.race([socket.closed, once(signal, 'abort').then(() => undefined)]),
  );
  if (closed === undefined) throw new Unexpected('a socket that is closed', 'one that stays open');
}

const isRefused = (story: Story) => expectRefusedHandshake(story, pathOf(story.take('share').shareCode), 404);

export const viewShare: Step = { name: 'view the share', part: 'wss', run: view };
export const viewerIsTold: Step = { name: 'the viewer is told and closed', part: 'wss', run: isToldOfTheEnd };
export const viewerIsRefused: Step = { name: 'no viewer gets in after that', part: 'wss', run: isRefused };
