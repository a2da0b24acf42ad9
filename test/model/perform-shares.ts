import type { Caller, Timed } from './caller';
import type { Operation } from './operations';
import { ask, expectStatus } from './ask';
import { getShare, readShare, revokeShare } from './share-model';
import { nobodys, type ShareRecord, type World } from './world';

type Given<Act extends Operation['act']> = Extract<Operation, { act: Act }>['given'];

export async function createShare(world: World, caller: Caller, given: Given<'create share'>): Promise<void> {
  const { organisation } = caller;
  const stranger = world.organisations.find((other) => other !== organisation) ?? organisation;
  const own = organisation.devices[given.device % organisation.devices.length] ?? '';
  const devices = { own, foreign: stranger.devices[0] ?? '', nobody: nobodys('device', organisation) };
  const { maxViewers, whose } = given;
  const body = { resourceId: devices[whose], shareType: 'DEVICE_STATUS', maxViewers };
  const label = `${caller.name} shares a device`;
  const answer = await ask(world, caller, label, 'stream:share', () =>
    caller.call('POST', '/v3/streams/share', { body }),
  );
  if (!answer) return;
  const count = caller.countOf('POST /v3/streams/share', answer);
  if (count) world.counted.push(count);
  else world.complain(label, 'no headers of a limit');
  if (answer.status === 429) return;
  expectStatus(world, label, answer, { own: 201, foreign: 403, nobody: 404 }[whose]);
  if (answer.status !== 201) return;
  const share = answer.body['share'] as Readonly<Record<string, unknown>>;
  const id = String(share['shareCode']);
  const { shareUrl, expiresAt } = share;
  if (share['maxViewers'] !== maxViewers || !id.startsWith(`share-${organisation.tag}-`) || world.shares.has(id))
    world.complain(label, 'another share than asked for');
  // The answer does not say when it was made; its time begins then.
  const createdAt = new Date(Date.parse(String(expiresAt)) - 3_600_000).toISOString();
  const { start, end } = answer;
  world.shares.set(id, {
    id,
    name: `share ${world.shares.size + 1} of ${organisation.name}`,
    organisation,
    created: { start, end, label: `${label} → 201` },
    fixed: { ...body, shareCode: id, shareUrl, expiresAt, createdAt, permissions: ['view'] },
    deviceId: own,
    maxViewers,
    steps: [],
  });
}

const codeOf = (share: ShareRecord | undefined, { organisation }: Caller) =>
  share?.id ?? nobodys('share', organisation);

/** Answers about nobody's share are 404; others are kept for the judge. */
function settle(world: World, share: ShareRecord | undefined, label: string, answer: Timed) {
  if (!share) expectStatus(world, label, answer, 404);
  return share && { start: answer.start, end: answer.end, label: `${label} → ${answer.status}` };
}

const isForeign = (share: ShareRecord, caller: Caller) => share.organisation !== caller.organisation;

export async function readOne(world: World, caller: Caller, share: ShareRecord | undefined): Promise<void> {
  const label = `${caller.name} reads`;
  const path = `/v3/shares/${codeOf(share, caller)}`;
  const answer = await ask(world, caller, label, 'share:read', () => caller.call('GET', path));
  const window = answer && settle(world, share, label, answer);
  if (window && share) share.steps.push(getShare(window, answer, isForeign(share, caller), share.fixed));
}

/** Reads what stands behind a share. Gives the device as it is shown, if it is. */
export async function readResources(world: World, caller: Caller, share: ShareRecord | undefined) {
  const label = `${caller.name} lists what is shared`;
  const path = `/v3/shares/${codeOf(share, caller)}/resources`;
  const answer = await ask(world, caller, label, 'share:read', () => caller.call('GET', path));
  if (!answer) return undefined;
  const count = caller.countOf('GET /v3/shares/{shareCode}/resources', answer);
  if (count) world.counted.push(count);
  if (answer.status === 429) return undefined;
  const window = settle(world, share, label, answer);
  if (window && share) share.steps.push(readShare(window, answer, isForeign(share, caller), 200));
  const [device] = (answer.body['resources'] ?? []) as { deviceId: string; lastState?: { timestamp: string } }[];
  if (answer.status === 200 && device?.deviceId !== share?.deviceId)
    world.complain(label, 'another device than shared');
  return device;
}

export async function revoke(world: World, caller: Caller, share: ShareRecord | undefined): Promise<void> {
  const label = `${caller.name} revokes`;
  const path = `/v3/shares/${codeOf(share, caller)}`;
  const answer = await ask(world, caller, label, 'share:manage', () => caller.call('DELETE', path));
  const window = answer && settle(world, share, label, answer);
  if (!window || !share) return;
  share.steps.push(revokeShare(window, answer, isForeign(share, caller)));
  if (answer.status === 200) share.revoked = { start: answer.start, end: answer.end };
}

export async function listShares(world: World, caller: Caller, { limit }: Given<'list shares'>): Promise<void> {
  const query = limit === null ? '' : `?limit=${limit}`;
  const label = `${caller.name} lists shares ${query}`;
  const answer = await ask(world, caller, label, 'share:read', () => caller.call('GET', `/v3/shares${query}`));
  if (!answer) return;
  expectStatus(world, label, answer, 200);
  const { start, end, body } = answer;
  const items = (body['shares'] ?? []) as Readonly<Record<string, unknown>>[];
  if (body['count'] !== items.length) world.complain(label, 'a count that is not that of shares');
  const page = { isFiltered: false, isLastPage: body['nextToken'] === undefined, items };
  world.listings.push({ of: 'shares', organisation: caller.organisation, label, start, end, ...page });
}

/** The fleet of an organisation is fixed here: exactly its groups with their devices. */
export async function listResources(world: World, caller: Caller): Promise<Timed | undefined> {
  const label = `${caller.name} lists resources`;
  const answer = await ask(world, caller, label, 'resources:read', () => caller.call('GET', '/v3/resources'));
  if (!answer) return undefined;
  expectStatus(world, label, answer, 200);
  const idsOf = (groups: readonly { deviceGroupId: string; devices: readonly { deviceId: string }[] }[]) =>
    groups.flatMap((group) => [group.deviceGroupId, ...group.devices.map(({ deviceId }) => deviceId)]).join();
  const shown = idsOf((answer.body['resources'] ?? []) as Parameters<typeof idsOf>[0]);
  if (shown !== idsOf(caller.organisation.groups)) world.complain(label, 'another fleet than the one onboarded');
  return answer;
}
