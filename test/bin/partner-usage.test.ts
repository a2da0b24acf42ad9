import { join } from 'node:path';
import { cloudFormation, partner } from './fixtures/aws';
import { cirrus, file, fleet, folder } from './fixtures/onboarded';

describe('An invalid command line', () => {
  const of = (organisation: unknown) => file('plan.json', { organisations: [organisation] });
  const invalid: [string, () => string[], RegExp][] = [
    ['no command', () => [], /missing command; known are onboard, list/],
    ['an unknown command', () => ['fly'], /unknown command/],
    ['an unknown flag', () => ['list', '--wings'], /Unknown option '--wings'/],
    ['a flag of another command', () => ['list', '--client-id', 'a'], /list does not take --client-id/],
    ['a flag without its value', () => ['list', '--stack'], /argument missing/],
    ['a word too many', () => ['list', 'all'], /takes flags only/],
    ['a secret', () => ['onboard', '--client-secret=hush'], /Unknown option '--client-secret'\n/],
    ['a secret as a command', () => ['hush'], /unknown command; known are/],
    ['no client to suspend', () => ['suspend'], /either --client-id or --organisation-id/],
    [
      'two selections',
      () => ['suspend', '--client-id', 'a', '--organisation-id', 'org-12345678'],
      /either --client-id/,
    ],
    ['an odd organisation', () => ['offboard', '--organisation-id', 'org-1'], /must read org- and eight/],
    ['no client to rotate', () => ['rotate-key'], /needs --client-id/],
    ['no organisation', () => ['onboard', '--client', 'a', '--scopes', 'all'], /either --organisation,/],
    ['no scopes', () => ['onboard', '--organisation', 'A', '--client', 'a'], /needs --scopes/],
    [
      'an unknown scope',
      () => [...cirrus.slice(0, -1), 'command:fly'],
      /--scopes: must be all or some of command:create/,
    ],
    [
      'an odd name',
      () => ['onboard', '--organisation', 'A', '--client', 'a/b', '--scopes', 'all'],
      /--client: must be/,
    ],
    ['a file and more', () => ['onboard', '--file', fleet, '--client', 'a'], /--file and --client exclude each other/],
    ['a file that is not there', () => ['onboard', '--file', join(folder, 'none')], /can't be read/],
    ['a file that is no JSON', () => ['onboard', '--file', file('odd.json', '{')], /is not JSON/],
    ['a fleet of another shape', () => [...cirrus, '--fleet', file('odd.json', {})], /odd\.json: deviceGroups: /],
    [
      'an unknown field in a file',
      () => ['onboard', '--file', of({ name: 'A', clients: [{ name: 'a', scopes: 'all', secret: 'hush' }] })],
      /plan\.json: organisations\[0\]\.clients\[0\]: Unrecognized key: "secret"/,
    ],
    [
      'an organisation that is new and in already',
      () => [
        'onboard',
        '--file',
        of({ name: 'A', organisationId: 'org-12345678', clients: [{ name: 'a', scopes: 'all' }] }),
      ],
      /needs either a name/,
    ],
  ];
  test.each(invalid)(
    'with %s is refused in one line with exit code 2, before calling AWS',
    async (_, words, errorOutput) => {
      const given = await partner(...words());
      expect(given).toMatchObject({ exitCode: 2, printed: '' });
      expect(given.errorOutput).toMatch(errorOutput);
      expect(given.errorOutput).toMatch(/^partner: [^\n]+\n$/);
      expect(given.errorOutput).not.toContain('hush');
      expect(cloudFormation.calls()).toHaveLength(0);
    },
  );
});

test('help names every command', async () => {
  const { exitCode, printed } = await partner('help');
  expect(exitCode).toBe(0);
  for (const command of ['onboard', 'list', 'suspend', 'resume', 'rotate-secret', 'rotate-key', 'offboard'])
    expect(printed).toContain(`\n  ${command} `);
});
