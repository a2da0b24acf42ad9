import { join } from 'node:path';
import { runCommand } from '../../outsiders/processes';

test('a careless adapter is told which rules it breaks', async () => {
  const adapter = `exec node ${join(__dirname, 'fixtures/careless-adapter.mjs')}`;
  const words = ['run', '--silent', 'platform-conformance', '--', '--adapter', adapter, '--patience', '15'];
  const { stdout } = await runCommand('npm', words, { exitCodes: [1] });
  const broken = [...stdout.matchAll(/^✗ (\w+)/gm)].map(([, rule]) => rule);
  expect({ broken, stdout }).toEqual({
    broken: [
      'schemas',
      'lifecycle',
      'repeats',
      'versions',
      'cancelled',
      'deleted',
      'scheduled',
      'priority',
      'device',
      'oneAtATime',
      'waits',
      'answers',
      'lateCommands',
      'commandOrder',
      'anotherJob',
      'lists',
      'restart',
    ],
    stdout,
  });
});
