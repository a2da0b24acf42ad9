import { commandStatuses, isEnded } from '../../domain/command-lifecycle';
import type { CommandRecord } from '../../domain/command-record';
import { isJoined } from '../../domain/joined-stop';
import { id, sampleCommand } from './fixtures/samples';

const at = (ms: number) => new Date(Date.parse('2026-11-27T10:30:00.000Z') + ms).toISOString();
const stop = (change: Partial<CommandRecord> = {}) =>
  sampleCommand({ name: 'PAUSE', requestedAt: at(0), endBefore: at(30_000), ...change });
const asked = (ms: number) => ({ requestedAt: at(ms), endBefore: at(ms + 30_000) });
const viewer = { origin: 'share', requestedBy: 'viewer1', shareId: 'digest' } as const;

test.each<[string, CommandRecord, CommandRecord, boolean]>([
  ['another client’s', stop({ ...asked(500), requestedBy: 'client2' }), stop(), true],
  ['delivered', stop(asked(500)), stop({ status: 'DELIVERED' }), true],
  ['two seconds old', stop(asked(2000)), stop(), false],
  ['by another clock a second younger', stop(asked(-1000)), stop(), true],
  ['by another clock two seconds younger', stop(asked(-2000)), stop(), false],
  ['of another viewer of the share', stop({ ...viewer, requestedBy: 'viewer2' }), stop(viewer), true],
  ['of a viewer of another share', stop({ ...viewer, shareId: 'other' }), stop(viewer), false],
  ['of a viewer, and asked for by a client', stop(), stop(viewer), false],
  ['of a client, and asked for by a viewer', stop(viewer), stop(), false],
  ['of the service', stop(), stop({ origin: 'service' }), false],
  ['of another job', stop({ jobId: id('job') }), stop({ jobId: undefined }), false],
  ['another stop', stop({ name: 'LAND' }), stop({ name: 'RETURN_HOME' }), false],
  ['no stop', stop({ name: 'TAKE_PHOTO' }), stop({ name: 'TAKE_PHOTO' }), false],
  ['shorter', stop(), stop({ endBefore: at(5000) }), false],
  ...commandStatuses
    .filter(isEnded)
    .map((status): [string, CommandRecord, CommandRecord, boolean] => [status, stop(), stop({ status }), false]),
])('a newest command that is %s', (_, wanted, newest, expected) => {
  expect(isJoined(wanted, newest)).toBe(expected);
});
