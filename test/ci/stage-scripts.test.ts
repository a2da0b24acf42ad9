import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
