import type { Job } from '../../../domain/jobs/job';
import { whyStranded, type FleetChange } from '../../../domain/jobs/stranded-job';
import { id, sampleJob } from '../fixtures/samples';

const [deviceId, other] = [id('device'), id('device', undefined, '0'.repeat(26))];
const [deviceGroupId, another] = [id('group'), id('group', undefined, '0'.repeat(26))];
const job = (change: Partial<Job>): Job => ({ ...sampleJob({ deviceGroupId, status: 'PENDING' }), ...change });

test.each<[string, Partial<Job>, FleetChange, ReturnType<typeof whyStranded>]>([
  ['of a removed group', {}, { kind: 'group removed', deviceGroupId }, 'GROUP_REMOVED'],
  ['of another group than the removed one', {}, { kind: 'group removed', deviceGroupId: another }, undefined],
  ['of a removed device', { deviceId }, { kind: 'device removed', deviceId }, 'DEVICE_REMOVED'],
  [
    'that a removed device flies',
    { deviceId, status: 'IN_PROGRESS' },
    { kind: 'device removed', deviceId },
    'DEVICE_REMOVED',
  ],
  ['of another device than the removed one', { deviceId: other }, { kind: 'device removed', deviceId }, undefined],
  ['of any device of a group', { deviceId: undefined }, { kind: 'device removed', deviceId }, undefined],
  [
    'of a device that moved away',
    { deviceId },
    { kind: 'device moved', deviceId, deviceGroupId: another },
    'DEVICE_MOVED',
  ],
  ['of a device that is in its group', { deviceId }, { kind: 'device moved', deviceId, deviceGroupId }, undefined],
  [
    'that a device flies that moved away',
    { deviceId, status: 'IN_PROGRESS' },
    { kind: 'device moved', deviceId, deviceGroupId: another },
    undefined,
  ],
  [
    'of another device than the moved one',
    { deviceId: other },
    { kind: 'device moved', deviceId, deviceGroupId: another },
    undefined,
  ],
])('a job %s', (_, change, fleetChange, reason) => {
  expect(whyStranded(job(change), fleetChange)).toBe(reason);
});
