import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const script = join(__dirname, '../../.ci/commit-subjects');

describe('commit-subjects', () => {
  let cwd: string;
  const git = (...words: string[]) => execFileSync('git', words, { cwd, encoding: 'utf8' }).trim();
  const commit = (message: string) => {
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
    git(...author, 'commit', '-q', '--allow-empty', '-m', message);
    return git('rev-parse', 'HEAD');
  };

  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'commit-subjects-'));
    git('init', '-q');
  });
  afterEach(() => {
    rmSync(cwd, { recursive: true });
  });

  test.each([
    ['of 72 characters', 'x'.repeat(72), 0],
    ['of 73 characters', 'x'.repeat(73), 1],
    ['of two words, with a long body', `Short subject\n\n${'why '.repeat(40)}`, 0],
  ])('a subject %s', (_, message, status) => {
    const base = commit('x'.repeat(100));
    commit(message);
    const run = spawnSync('bash', [script, base], { cwd, encoding: 'utf8' });
    expect(run.status).toBe(status);
    expect(run.stdout.includes('x'.repeat(73))).toBe(status === 1);
  });
});
