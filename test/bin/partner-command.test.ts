import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { scripts } from '../../package.json';
import { folder } from './fixtures/onboarded';

const command = (words: string) =>
  spawnSync('sh', ['-c', `${scripts.partner} ${words}`], {
    cwd: join(__dirname, '../..'),
    env: { ...process.env, LOCAL_DIR: join(folder, 'nowhere') },
    encoding: 'utf8',
  });

test('npm run partner loads its commands', () => {
  const { stderr, status } = command('list --local');
  expect(stderr).toMatch(/^partner: no local stack is running/);
  expect(status).toBe(1);
});

test('npm run partner asks nobody when its standard input is no terminal', () => {
  const { stderr, status } = command('offboard --local --client-id a');
  expect(stderr).toMatch(/^partner: offboard asks before it deletes, and nobody can answer here/);
  expect(status).toBe(2);
});
