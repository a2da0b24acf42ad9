import { CONTROLS_PER_MINUTE } from '../../contract/terms/rates';
import { digestShareCode } from '../../data/shares/share-id';
import { clients } from '../api/client';
import { expire, fleetOf, givenShare, nobodys, givenVideoShare } from '../api/given';
import { givenCalls } from '../api/stack/given-calls';
import { errorCodes, note } from './documented-messages';
import type { Socket } from './socket';
import { ask, openTelemetry, watch } from './telemetry-socket';

const [partner] = clients('documented-errors');
const { deviceId, deviceGroupId } = fleetOf(partner);

/** A message that is answered with each code. */
const causes: Readonly<Record<string, () => Promise<[string, Socket, object]>>> = {
  invalid_request: async () => ['telemetry', await openTelemetry(partner), { action: 'publish' }],
  unknown_action: async () => ['telemetry', await openTelemetry(partner), { action: 'fly' }],
  forbidden: async () => ['viewer', await watch(await givenVideoShare(partner)), { action: 'subscribe', deviceId }],
  unauthorized: async () => ['telemetry', await openTelemetry(partner), { action: 'authenticate', token: 'none' }],
  resource_not_found: async () => [
    'telemetry',
    await openTelemetry(partner),
    { action: 'subscribe', deviceId: nobodys(deviceId) },
  ],
  device_group_not_found: async () => [
    'telemetry',
    await openTelemetry(partner),
    { action: 'subscribe', deviceGroupId: nobodys(deviceGroupId) },
  ],
  share_not_found: async () => {
    const shareCode = await givenVideoShare(partner);
    const viewer = await watch(shareCode);
    await expire(shareCode);
    return ['viewer', viewer, { action: 'playback' }];
  },
  cannot_command: async () => {
    const { shareCode } = await givenShare(partner, { permissions: ['view', 'control'] });
    return ['viewer', await watch(shareCode), { action: 'control', command: { name: 'PAUSE' } }];
  },
  held_by: async () => {
    const { shareCode } = await givenShare(partner, { permissions: ['view', 'control'] });
    const [holder, other] = [await watch(shareCode), await watch(shareCode)];
    expect(await ask(holder, { action: 'takeControl' })).toMatchObject({ type: 'control.taken' });
    return ['viewer', other, { action: 'takeControl' }];
  },
  too_many_requests: async () => {
    const shareCode = await givenVideoShare(partner);
    const viewer = await watch(shareCode);
    await givenCalls(`control#${digestShareCode(shareCode)}`, CONTROLS_PER_MINUTE.share);
    return ['viewer', viewer, { action: 'control', command: { name: 'HOVER' } }];
  },
};

test('errors with each documented code have a case, but for failures of the service', () => {
  expect(Object.keys(causes).toSorted()).toEqual(errorCodes.filter((code) => code !== 'internal_error').toSorted());
});

test.each(Object.entries(causes))('errors with the code %s are as documented', async (code, cause) => {
  const [channel, socket, message] = await cause();
  const answer = await ask(socket, message);
  expect(answer).toMatchObject({ type: 'error', code });
  expect(note(channel, JSON.stringify(answer))).toBe('error');
});
