import { control } from '../../../contract/shares/viewers.actions';
import { commandNames } from '../../../domain/commands/command';
import { isStop } from '../../../domain/commands/stops';
import { commandRequest } from '../../../domain/commands/command-request';
import { inboundEvents } from '../../../domain/platform/inbound-events';
import { shareRequest } from '../../../domain/shares/new-share';
import type { Detail } from '../../../domain/values/refusal';
import { check } from '../../../lambdas/runtime/details';
import { id, refusalOf } from '../fixtures/samples';

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
const inAnotherCase = commandNames.flatMap((name) => [
  [name.toLowerCase(), name],
  [capitalised(name), name],
]);

describe.each(takers)('%s', (what, path, take) => {
  test.each(inAnotherCase)('is refused %s by the name of %s', (name = '', known) => {
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
