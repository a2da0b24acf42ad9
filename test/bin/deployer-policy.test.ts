import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import documents from '../../docs/deployer-policy.json';

test('`npm run deployer-policy` prints one document, or names the known ones', () => {
  const run = (...words: string[]) =>
    execFileSync(process.execPath, ['--require', 'tsx/cjs', 'bin/deployer-policy.ts', ...words], {
      cwd: join(__dirname, '../..'),
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(JSON.parse(run('data'))).toEqual(documents.data);
  expect(() => run('date')).toThrow(
    expect.objectContaining({
      status: 2,
      stderr: expect.stringMatching(/^documents are functions, data, front\n/) as string,
    }) as Error,
  );
});
