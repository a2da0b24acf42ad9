import {
  commandStatuses,
  commandStatusesBefore,
  endedCommandStatuses,
  isEnded,
  openCommandStatuses,
  type CommandStatus,
} from '../../../domain/commands/command-lifecycle';
import { control } from '../../../contract/shares/viewers.actions';
import { commandNames, commandParameters } from '../../../domain/commands/command';
import { asksForStop, commandRequest } from '../../../domain/commands/command-request';
import { isStop, passesLimits } from '../../../domain/commands/stops';
import type { CommandRecord } from '../../../domain/commands/command-record';
import { isJoined, stopsWith, stopToJoin } from '../../../domain/commands/joined-stop';
import { inboundEvents } from '../../../domain/platform/inbound-events';
import { shareRequest } from '../../../domain/shares/new-share';
import type { Detail } from '../../../domain/values/refusal';
import { check } from '../../../lambdas/runtime/details';
import { id, refusalOf, sampleCommand } from '../fixtures/samples';

describe('Command lifecycle', () => {
  /** Issue of commands, written out: an outcome may come before the delivery is known. */
  const allowed: Readonly<Record<CommandStatus, readonly CommandStatus[]>> = {
    REQUESTED: [],
    DELIVERED: ['REQUESTED'],
    DONE: ['REQUESTED', 'DELIVERED'],
    REFUSED: ['REQUESTED', 'DELIVERED'],
    FAILED: ['REQUESTED', 'DELIVERED'],
    TIMED_OUT: ['REQUESTED', 'DELIVERED'],
    SUPERSEDED: ['REQUESTED', 'DELIVERED'],
  };

  test.each(commandStatuses)('%s follows only what may be before it', (status) => {
    expect(commandStatusesBefore(status)).toEqual(allowed[status]);
  });

  test('five statuses are final', () => {
    expect(endedCommandStatuses).toEqual(['DONE', 'REFUSED', 'FAILED', 'TIMED_OUT', 'SUPERSEDED']);
    expect(openCommandStatuses).toEqual(['REQUESTED', 'DELIVERED']);
  });
});

const shareWith = (name: string) => ({ resourceId: id('device'), shareType: 'STREAM', commands: [name] });
const registeredWith = (name: string) => ({
  deviceId: id('device'),
  deviceGroupId: id('group'),
  name: 'Kestrel',
  capabilities: { commands: [name] },
});
/** Everything that takes the name of a command from outside: where it says what is wrong with it. */
const takers: [what: string, path: string, take: (name: string) => unknown][] = [
  ['a request', 'name', (name) => check(commandRequest, { name })],
  ['a viewer', 'command.name', (name) => check(control.message, { action: 'control', command: { name } })],
  ['the commands of a share', 'commands.0', (name) => check(shareRequest, shareWith(name))],
  [
    'the commands of a device that is registered',
    'capabilities.commands.0',
    (name) => check(inboundEvents['device.registered'], registeredWith(name)),
  ],
];

const capitalised = (name: string) => `${name.charAt(0)}${name.slice(1).toLowerCase()}`;
/** In letters twice as wide, as a keyboard for Japanese writes them. */
const wide = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));
const inAnotherSpelling = commandNames.flatMap((name) => [
  [name.toLowerCase(), name],
  [capitalised(name), name],
  [`${name} `, name],
  [` ${name}`, name],
  [`${name}\u{a0}`, name],
  [`${name}\u{200b}`, name],
  [`\u{feff}${name}`, name],
  [`${name.charAt(0)}\u{ad}${name.slice(1)}`, name],
  [`${name.charAt(0)}\u{301}${name.slice(1)}`, name],
  [wide(name), name],
]);

describe.each(takers)('%s', (what, path, take) => {
  test.each(inAnotherSpelling)('is refused %s by the name of %s', (name = '', known) => {
    const { code, details } = refusalOf(() => take(name));
    expect([code, details]).toEqual([
      'invalid_request',
      [{ path, message: expect.stringMatching(new RegExp(`\\b${known}\\b`)) as string }] satisfies Detail[],
    ]);
  });

  test.each(commandNames)('takes %s', (name) => {
    // Some need parameters.
    if (what === 'a request' && !isStop(name)) return;
    expect(() => take(name)).not.toThrow();
  });

  test.each(['x-drop-marker', ...(what === 'a request' ? [] : ['HOVER', 'lander', 'x-LAND', 'go to', 'LANDED'])])(
    'takes %s',
    (name) => {
      expect(() => take(name)).not.toThrow();
    },
  );
});

describe('A request', () => {
  const position = { type: 'Point', coordinates: [8.5, 47.4] };

  test.each(commandNames)('for %s is spared a limit if the table of stops says so', (name) => {
    const needsPlace = 'position' in commandParameters[name];
    expect(asksForStop(JSON.stringify({ name, ...(needsPlace && { position }) }))).toBe(passesLimits(name));
  });
});

describe('Command request', () => {
  const position = { type: 'Point', coordinates: [8.5, 47.4] };

  test.each([
    { name: 'PAUSE' },
    { name: 'RESUME', jobId: 'job-1', timeoutSeconds: 5 },
    { name: 'RETURN_HOME', timeoutSeconds: 600 },
    { name: 'LAND' },
    { name: 'GO_TO', position, height: 60, speed: 12 },
    { name: 'GO_TO', position: { type: 'Point', coordinates: [8.5, 47.4, 500] } },
    { name: 'ORBIT', position, radius: 25 },
    { name: 'LOOK_AT', position },
    { name: 'GIMBAL', pitch: -90, yaw: 12.5 },
    { name: 'TAKE_PHOTO' },
    { name: 'START_RECORDING' },
    { name: 'STOP_RECORDING' },
    { name: 'x-drop-marker', colour: 'red', count: 2, nested: { deep: [1] } },
  ])('takes %j', (body) => {
    expect(check(commandRequest, body)).toEqual(body);
  });

  const known = `must be one of ${commandNames.join(', ')}, or begin with x-, in lower case, for one of the drone platform’s own`;

  test.each([
    ['no name', {}, [['name', 'is required']]],
    ['an unknown name', { name: 'BARREL_ROLL' }, [['name', known]]],
    ['a name in lower case', { name: 'pause' }, [['name', known]]],
    ['an own name in upper case', { name: 'x-Drop' }, [['name', known]]],
    ['a name that is no text', { name: 7 }, [['name', 'must be a string']]],
    ['parameters of another command', { name: 'PAUSE', height: 3 }, [['height', 'unknown field']]],
    ['no position', { name: 'GO_TO' }, [['position', 'is required']]],
    [
      'a misspelt parameter',
      { name: 'GO_TO', position, speeed: 3 },
      [['speeed', 'unknown field; did you mean speed?']],
    ],
    ['NaN as text', { name: 'GO_TO', position, height: 'NaN' }, [['height', 'must be a number']]],
    [
      'a height that is not one of drones',
      { name: 'ORBIT', position, height: 501 },
      [['height', 'must be 500 or less']],
    ],
    [
      'a position off the Earth',
      { name: 'LOOK_AT', position: { type: 'Point', coordinates: [181, 47] } },
      [['position.coordinates.0', 'must be 180 or less']],
    ],
    ['a shape that is no point', { name: 'GO_TO', position: [8.5, 47.4] }, [['position', 'must be an object']]],
    ['a timeout that is too short', { name: 'PAUSE', timeoutSeconds: 4 }, [['timeoutSeconds', 'must be 5 or more']]],
    ['a timeout that is too long', { name: 'x-a', timeoutSeconds: 601 }, [['timeoutSeconds', 'must be 600 or less']]],
    ['a body that is none', [], [['', 'must be an object']]],
  ])('refuses %s', (_, body, expected) => {
    const { details } = refusalOf(() => check(commandRequest, body));
    expect(details.map(({ path, message }) => [path, message])).toEqual(expected);
  });
});

describe('Joined stop', () => {
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
    [
      'those of a client, a viewer and one of another share',
      [named('a'), named('b', share('x'))],
      stop(asked(500)),
      'a',
    ],
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
});
