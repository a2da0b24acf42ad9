import { commandStatuses, isEnded } from '../../../domain/commands/command-lifecycle';
import type { CommandRecord } from '../../../domain/commands/command-record';
import { isJoined, stopsWith, stopToJoin } from '../../../domain/commands/joined-stop';
import { id, sampleCommand } from '../fixtures/samples';

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

const share = (shareId: string) => ({ origin: 'share', requestedBy: 'viewer', shareId }) as const;
const named = (commandId: string, change: Partial<CommandRecord> = {}) => stop({ commandId, ...change });

/** The commands of a device, one after the other; then one is asked for, and this one may be the answer. */
test.each<[string, readonly CommandRecord[], CommandRecord, string | undefined]>([
  ['nothing', [], stop(), undefined],
  ['a stop', [named('a')], stop(asked(500)), 'a'],
  ['those of a client, a viewer and one of another share', [named('a'), named('b', share('x'))], stop(asked(500)), 'a'],
  [
    'the same, and asked for by a viewer',
    [named('b', share('x')), named('a')],
    stop({ ...asked(500), ...share('x') }),
    'b',
  ],
  ['two of clients', [named('a'), named('b', share('x')), named('c', asked(100))], stop(asked(500)), 'c'],
  ['another stop between', [named('a'), named('b', { name: 'LAND', ...share('x') })], stop(asked(500)), undefined],
  [
    'another stop between, then the same of viewers',
    [named('a'), named('b', { name: 'LAND' }), named('c', share('x'))],
    stop(asked(500)),
    // Which `isJoined` refuses.
    'c',
  ],
  [
    'something else between',
    [named('a'), named('b', { name: 'RESUME' }), named('c', share('x'))],
    stop(asked(500)),
    'c',
  ],
  ['one of two seconds ago', [named('a')], stop(asked(2000)), undefined],
  [
    'one of three seconds ago and another of now',
    [named('a'), named('b', { ...asked(2500), ...share('x') })],
    stop(asked(3000)),
    'b',
  ],
  ['no stop', [named('a', { name: 'TAKE_PHOTO' })], stop({ name: 'TAKE_PHOTO' }), undefined],
])('after %s', (_, commands, wanted, expected) => {
  const head = commands.reduce<Parameters<typeof stopToJoin>[0]>(
    (before, command) => ({ newest: command, stops: stopsWith(before, command) }),
    {},
  );
  expect(stopToJoin(head, wanted)).toBe(expected);
});
