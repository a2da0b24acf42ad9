import { type Caller, type TimedAnswer, callChecked, expectStatus } from './caller';
import type { Operation } from './operations';
import { getShare, readShare, revokeShare } from './share-model';
import { unknownId, type ShareRecord, type HistoryRecorder } from './history-recorder';

type Input<Name extends Operation['name']> = Extract<Operation, { name: Name }>['input'];

/** @returns the share that was created, if any */
export async function createShare(
  recorder: HistoryRecorder,
  caller: Caller,
  input: Input<'create share'>,
): Promise<ShareRecord | undefined> {
  const { organisation } = caller;
  const otherOrganisation = recorder.organisations.find((other) => other !== organisation) ?? organisation;
  const own = organisation.devices[input.device % organisation.devices.length] ?? '';
  const devices = { own, foreign: otherOrganisation.devices[0] ?? '', unknown: unknownId('device', organisation) };
  const { maxViewers, whose } = input;
  const body = { resourceId: devices[whose], shareType: 'DEVICE_STATUS', maxViewers };
  const label = `${caller.name} shares a device`;
  const answer = await callChecked(recorder, caller, label, 'stream:share', () =>
    caller.call('POST', '/v3/streams/share', { body }),
  );
  if (!answer) return undefined;
  const count = caller.countOf('POST /v3/streams/share', answer);
  if (count) recorder.counted.push(count);
  else recorder.addViolation(label, 'no rate-limit headers');
  if (answer.status === 429) return undefined;
  expectStatus(recorder, label, answer, { own: 201, foreign: 403, unknown: 404 }[whose]);
  if (answer.status !== 201) return undefined;
  const share = answer.body['share'] as Readonly<Record<string, unknown>>;
  const id = String(share['shareCode']);
  const { shareUrl, links, expiresAt } = share;
  if (share['maxViewers'] !== maxViewers || !id.startsWith(`share-${organisation.tag}-`) || recorder.shares.has(id))
    recorder.addViolation(label, 'not the requested share');
  // The answer has no createdAt; expiresAt is an hour later.
  const createdAt = new Date(Date.parse(String(expiresAt)) - 3_600_000).toISOString();
  const { start, end } = answer;
  const created: ShareRecord = {
    id,
    name: `share ${recorder.shares.size + 1} of ${organisation.name}`,
    organisation,
    created: { start, end, label: `${label} → 201` },
    fixed: { ...body, shareCode: id, shareUrl, links, expiresAt, createdAt, permissions: ['view'] },
    deviceId: own,
    maxViewers,
    steps: [],
  };
  recorder.shares.set(id, created);
  return created;
}

const codeOf = (share: ShareRecord | undefined, { organisation }: Caller) =>
  share?.id ?? unknownId('share', organisation);

/** Unknown shares must be answered with 404; other answers are recorded for the check. */
function recordAnswer(recorder: HistoryRecorder, share: ShareRecord | undefined, label: string, answer: TimedAnswer) {
  if (!share) expectStatus(recorder, label, answer, 404);
  return share && { start: answer.start, end: answer.end, label: `${label} → ${answer.status}` };
}

const isForeign = (share: ShareRecord, caller: Caller) => share.organisation !== caller.organisation;

export async function readOneShare(
  recorder: HistoryRecorder,
  caller: Caller,
  share: ShareRecord | undefined,
): Promise<void> {
  const label = `${caller.name} reads`;
  const path = `/v3/shares/${codeOf(share, caller)}`;
  const answer = await callChecked(recorder, caller, label, 'share:read', () => caller.call('GET', path));
  const window = answer && recordAnswer(recorder, share, label, answer);
  if (window && share) share.steps.push(getShare(window, answer, isForeign(share, caller), share.fixed));
}

/** Reads the resources of a share. @returns the device, if it is shown */
export async function readResources(recorder: HistoryRecorder, caller: Caller, share: ShareRecord | undefined) {
  const label = `${caller.name} lists share resources`;
  const path = `/v3/shares/${codeOf(share, caller)}/resources`;
  const answer = await callChecked(recorder, caller, label, 'share:read', () => caller.call('GET', path));
  if (!answer) return undefined;
  const count = caller.countOf('GET /v3/shares/{shareCode}/resources', answer);
  if (count) recorder.counted.push(count);
  if (answer.status === 429) return undefined;
  const window = recordAnswer(recorder, share, label, answer);
  if (window && share) share.steps.push(readShare(window, answer, isForeign(share, caller), 200));
  const [device] = (answer.body['resources'] ?? []) as { deviceId: string; lastState?: { timestamp: string } }[];
  if (answer.status === 200 && device?.deviceId !== share?.deviceId)
    recorder.addViolation(label, 'not the shared device');
  return device;
}

export async function revoke(recorder: HistoryRecorder, caller: Caller, share: ShareRecord | undefined): Promise<void> {
  const label = `${caller.name} revokes`;
  const path = `/v3/shares/${codeOf(share, caller)}`;
  const answer = await callChecked(recorder, caller, label, 'share:manage', () => caller.call('DELETE', path));
  const window = answer && recordAnswer(recorder, share, label, answer);
  if (!window || !share) return;
  share.steps.push(revokeShare(window, answer, isForeign(share, caller)));
  if (answer.status === 200) share.revoked = { start: answer.start, end: answer.end };
}

export async function listShares(
  recorder: HistoryRecorder,
  caller: Caller,
  { limit }: Input<'list shares'>,
): Promise<void> {
  const query = limit === null ? '' : `?limit=${limit}`;
  const label = `${caller.name} lists shares ${query}`;
  const answer = await callChecked(recorder, caller, label, 'share:read', () =>
    caller.call('GET', `/v3/shares${query}`),
  );
  if (!answer) return;
  expectStatus(recorder, label, answer, 200);
  const { start, end, body } = answer;
  const items = (body['shares'] ?? []) as Readonly<Record<string, unknown>>[];
  if (body['count'] !== items.length) recorder.addViolation(label, 'a wrong count of shares');
  const page = { isFiltered: false, isLastPage: body['nextToken'] === undefined, items };
  recorder.listings.push({ of: 'shares', organisation: caller.organisation, label, start, end, ...page });
}

/** The fleet does not change: the answer has exactly the onboarded groups and devices. */
export async function listResources(recorder: HistoryRecorder, caller: Caller): Promise<TimedAnswer | undefined> {
  const label = `${caller.name} lists resources`;
  const answer = await callChecked(recorder, caller, label, 'resources:read', () =>
    caller.call('GET', '/v3/resources'),
  );
  if (!answer) return undefined;
  expectStatus(recorder, label, answer, 200);
  const idsOf = (groups: readonly { deviceGroupId: string; devices: readonly { deviceId: string }[] }[]) =>
    groups.flatMap((group) => [group.deviceGroupId, ...group.devices.map(({ deviceId }) => deviceId)]).join();
  const shown = idsOf((answer.body['resources'] ?? []) as Parameters<typeof idsOf>[0]);
  if (shown !== idsOf(caller.organisation.groups)) recorder.addViolation(label, 'not the onboarded fleet');
  return answer;
}
