import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const root = join(__dirname, '../..');

describe('The scripts of the deploy workflow', () => {
  let folder: string;
  let outputs: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'stage-scripts-'));
    outputs = join(folder, 'outputs.json');
    // Stubs that print their arguments, one a line.
    for (const name of ['npx', 'npm']) {
      writeFileSync(join(folder, name), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
      chmodSync(join(folder, name), 0o755);
    }
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const run = (script: string, words: readonly string[], env: Readonly<Record<string, string>>) => {
    const PATH = `${folder}${delimiter}${process.env['PATH']}`;
    const { status, stdout, stderr } = spawnSync('bash', [join(root, '.ci', script), ...words], {
      cwd: tmpdir(),
      env: { PATH, ...env },
      encoding: 'utf8',
    });
    return { status, stderr, words: stdout.split('\n').slice(0, -1) };
  };
  const smokeClient = { SMOKE_CLIENT_ID: 'client-1', CLIENT_SECRET: 'the secret', API_KEY: 'the key' };

  test('deploy-stage deploys the stack of the stage, with each choice as an argument of its own', () => {
    const CHOICES =
      'pageTopicArn=arn:aws:sns:eu-central-1:123456789012:pages\r\n\n# a comment\ntags=owner=A team,x=$(id)';
    const { status, words } = run('deploy-stage', ['staging', outputs], { CHOICES });
    expect(status).toBe(0);
    expect(words).toEqual([
      'cdk',
      'deploy',
      'DroneMissionApi-staging',
      '-c',
      'stage=staging',
      '-c',
      'pageTopicArn=arn:aws:sns:eu-central-1:123456789012:pages',
      '-c',
      'tags=owner=A team,x=$(id)',
      '--require-approval',
      'never',
      '--progress',
      'events',
      '--outputs-file',
      outputs,
    ]);
  });

  test('deploy-stage needs no choices', () => {
    expect(run('deploy-stage', ['staging', outputs], {}).words).toContain('DroneMissionApi-staging');
  });

  test.each(['stage=production', 'removeData', '=true'])('deploy-stage refuses the line %s', (CHOICES) => {
    const { status, words, stderr } = run('deploy-stage', ['staging', outputs], { CHOICES });
    expect([status, words]).toEqual([2, []]);
    expect(stderr).toMatch(/^CHOICES[^\n]+\n$/);
  });

  test('smoke-stage reads the addresses from the outputs, and passes no secret as an argument', () => {
    const addresses = { BaseUrl: 'https://a', WebSocketUrl: 'wss://b', MqttUrl: 'mqtts://c', FleetTable: 'd' };
    writeFileSync(outputs, JSON.stringify({ 'DroneMissionApi-staging': addresses }));
    const expected = ['run', '--silent', 'smoke', '--', '--base-url', 'https://a', '--ws-url', 'wss://b'];
    expected.push('--mqtt-url', 'mqtts://c', '--client', 'client-1');
    expect(run('smoke-stage', [outputs], smokeClient)).toEqual({ status: 0, stderr: '', words: expected });
    const narrow = run('smoke-stage', [outputs], { ...smokeClient, SMOKE_NARROW_CLIENT_ID: 'client-2' });
    expect(narrow.words).toEqual([...expected, '--narrow-client', 'client-2']);
  });

  test.each(Object.keys(smokeClient))('smoke-stage fails without %s, and names it', (name) => {
    const { status, words, stderr } = run('smoke-stage', [outputs], { ...smokeClient, [name]: '' });
    expect([status, words]).toEqual([2, []]);
    expect(stderr).toContain(`${name} is not set`);
  });

  test('smoke-stage fails when an address is missing in the outputs', () => {
    writeFileSync(outputs, JSON.stringify({ 'DroneMissionApi-staging': { BaseUrl: 'https://a' } }));
    const { status, words, stderr } = run('smoke-stage', [outputs], smokeClient);
    expect([status, words]).toEqual([1, []]);
    expect(stderr).toContain('has no output WebSocketUrl');
  });
});

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

describe('commit-subjects', () => {
  const script = join(root, '.ci/commit-subjects');
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
