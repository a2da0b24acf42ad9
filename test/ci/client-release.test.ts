import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(__dirname, '../..');

describe('A release of the clients', () => {
  let cwd: string;
  const textOf = (file: string) => readFileSync(join(cwd, file), 'utf8');

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'client-release-'));
  });
  afterEach(() => {
    rmSync(cwd, { recursive: true });
  });

  test('is one commit with its version in all packages, and its tag', () => {
    const packages = ['clients/typescript/package.json', 'packages/cloud-assembly-runner/package.json'];
    const copied = ['.ci', '.npmrc', 'package.json', 'package-lock.json', 'clients/python/pyproject.toml', ...packages];
    for (const path of copied) cpSync(join(root, path), join(cwd, path), { recursive: true });
    const who = { GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@example.com' };
    const committer = { GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@example.com' };
    const env = { ...process.env, ...who, ...committer, GIT_CONFIG_GLOBAL: '/dev/null' };
    const run = (command: string, ...words: string[]) => execFileSync(command, words, { cwd, env, encoding: 'utf8' });
    run('git', 'init', '-q');
    run('git', 'add', '.');
    run('git', 'commit', '-q', '-m', 'Before');
    run('npm', 'version', '98.7.6', '--offline', '--silent');

    expect(run('git', 'status', '--short')).toBe('');
    expect(run('git', 'log', '-1', '--format=%s %D')).toMatch(
      /^Release the clients 98\.7\.6 .*tag: clients\/v98\.7\.6/,
    );
    const versions = {
      'package.json': 1,
      // The project and the client for TypeScript.
      'package-lock.json': 3,
      'clients/typescript/package.json': 1,
      'clients/python/pyproject.toml': 1,
    };
    for (const [file, count] of Object.entries(versions))
      expect([file, textOf(file).match(/^\s*"?version"?( =|:) "98\.7\.6"/gm)?.length]).toEqual([file, count]);
  });

  test.each([
    ['the version and the address', 'clients/v1.2.3', 'github.com/owner/name/clients/go', 0, ''],
    ['another version', 'clients/v1.2.4', 'github.com/owner/name/clients/go', 1, 'run npm version.\n'],
    ['a version of something else', 'v1.2.3', 'github.com/owner/name/clients/go', 1, 'run npm version.\n'],
    ['another address', 'clients/v1.2.3', 'example.com/clients/go', 1, 'rename it everywhere.\n'],
  ])('is checked by its tag, which has %s', (_, tag, module, status, remedy) => {
    writeFileSync(join(cwd, 'package.json'), '{"version":"1.2.3"}');
    mkdirSync(join(cwd, 'clients/go'), { recursive: true });
    writeFileSync(join(cwd, 'clients/go/go.mod'), `module ${module}\n\ngo 1.25.0\n`);
    const script = join(root, '.ci/check-client-tag');
    const checked = spawnSync('bash', [script, tag, 'owner/name'], { cwd, encoding: 'utf8' });
    expect([checked.status, checked.stderr]).toEqual([status, '']);
    expect(checked.stdout.slice(-remedy.length || Infinity)).toBe(remedy);
  });
});
