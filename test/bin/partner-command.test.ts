import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { scripts } from '../../package.json';
import { folder } from './fixtures/onboarded';

test('npm run partner loads its commands', () => {
  const { stderr, status } = spawnSync('sh', ['-c', `${scripts.partner} list --local`], {
    cwd: join(__dirname, '../..'),
    env: { ...process.env, LOCAL_DIR: join(folder, 'nowhere') },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^partner: no local stack is running/);
  expect(status).toBe(1);
});
