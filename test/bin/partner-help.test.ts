import { commandFlags } from '../../bin/partner/command-line';
import { cloudFormation, partner } from './fixtures/aws';

const tooLong = (text: string) => text.split('\n').filter(({ length }) => length > 80);
const commands = Object.entries(commandFlags);

test.each(['help', '--help'])('%s names every command in a screen of 80 columns and 24 lines', async (word) => {
  const { exitCode, printed } = await partner(word);
  expect(exitCode).toBe(0);
  for (const [command] of commands) expect(printed).toContain(`\n  ${command} `);
  expect(printed.split('\n').length).toBeLessThanOrEqual(24);
  expect(tooLong(printed)).toEqual([]);
});

test.each(commands)('help of %s describes its options and has an example', async (command, flags) => {
  const { exitCode, printed } = await partner(command, '--help');
  expect(exitCode).toBe(0);
  for (const flag of [...flags, 'local', 'stack', 'json']) expect(printed).toContain(`\n  --${flag} `);
  expect(printed).toContain(`\n  npm run --silent partner -- ${command} `);
  expect(tooLong(printed)).toEqual([]);
  expect(await partner('help', command)).toEqual({ exitCode: 0, printed, errorOutput: '' });
  expect(cloudFormation.calls()).toHaveLength(0);
});
