import { control } from '../../contract/actions/viewers';
import { commandNames } from '../../domain/command';
import { commandRequest } from '../../domain/command-request';
import { shareRequest } from '../../domain/new-share';
import type { Detail } from '../../domain/refusal';
import { check } from '../../lambdas/details';
import { id, refusalOf } from './fixtures/samples';

const shareWith = (name: string) => ({ resourceId: id('device'), shareType: 'STREAM', commands: [name] });
/** Everything that takes the name of a command from outside: where it says what is wrong with it. */
const takers: [what: string, path: string, take: (name: string) => unknown][] = [
  ['a request', 'name', (name) => check(commandRequest, { name })],
  ['a viewer', 'command.name', (name) => check(control.message, { action: 'control', command: { name } })],
  ['the commands of a share', 'commands.0', (name) => check(shareRequest, shareWith(name))],
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

  test.each(['x-drop-marker', ...(what === 'a request' ? [] : ['HOVER', 'lander', 'x-LAND', 'go to', 'LANDED'])])(
    'takes %s',
    (name) => {
      expect(() => take(name)).not.toThrow();
    },
  );
});
