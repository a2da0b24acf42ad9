import { execFileSync, spawnSync } from 'node:child_process';
import fs, { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ReadyStack } from 'cloud-assembly-runner';
import { banner } from '../../../bin/start/banner';
import {
  DEMO_ENVIRONMENT,
  demoEnvironment,
  writeDemoEnvironment,
  type StackFacts,
} from '../../../bin/start/stack-facts';
import { addDemoPartners } from '../../../bin/start/demo-partners';
import { thrownMessages } from '../fixtures/thrown-messages';

describe('The banner', () => {
  const partner = {
    organisationId: 'org-1',
    clientId: 'client-1',
    clientSecret: 'hush-secret',
    apiKey: 'hush-key',
    scopes: [],
    deviceGroups: [{ deviceGroupId: 'group-1', devices: [{ deviceId: 'device-1' }] }],
  };
  const facts: StackFacts = {
    baseUrl: 'http://127.0.0.1:3000',
    mqttUrl: 'mqtts://127.0.0.1:8883',
    wsUrl: 'ws://127.0.0.1:3001',
    shareBaseUrl: 'http://127.0.0.1:3001',
    docsUrl: 'http://127.0.0.1:3001/docs/',
    caFile: '/ca.pem',
    demoFlightUrl: 'http://127.0.0.1:3001/share/share-1',
    partners: [partner],
  };
  const options = { folder: resolve('.local'), memory: false, isDefaultFolder: true };

  test('begins with the drone to look at, then the docs, and is less than a screen', () => {
    const lines = banner(facts, options).trim().split('\n');
    expect(lines[0]).toBe('A drone is flying: open http://127.0.0.1:3001/share/share-1');
    expect(lines[2]).toMatch(/^ {2}Docs +http:\/\/127\.0\.0\.1:3001\/docs\/$/);
    expect(lines.length).toBeLessThan(24);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('has three commands that work as they stand, and no secret', () => {
    const text = banner(facts, options);
    expect(text).toContain('\n  npm run demo\n  . .local/demo.env\n  curl "$BASE_URL/v3/resources"');
    expect(text).toMatch(/Credentials +\.local\/stack\.json\n/);
    expect(text).not.toContain('hush');
  });

  test('says what a folder elsewhere changes in the commands', () => {
    const text = banner(facts, { ...options, folder: '/tmp/else', isDefaultFolder: false, memory: true });
    expect(text).toContain('\n  LOCAL_DIR=/tmp/else npm run demo\n  . /tmp/else/demo.env\n');
    expect(text).toContain('$(LOCAL_DIR=/tmp/else npm run -s token)');
    expect(text).toMatch(/Credentials +\/tmp\/else\/stack\.json\n +Data +in memory, deleted at stop\n/);
  });

  test('says why no drone is flying, and leaves out channels that are not there', () => {
    const without = { ...facts, demoFlightUrl: null, wsUrl: null, mqttUrl: null, shareBaseUrl: null, docsUrl: null };
    expect(banner(without, options).trim()).toMatch(/^Ready\. No drone is flying: there is no fleet\.\n/);
    expect(banner(without, { ...options, noFlight: 'no answer' })).toContain('No drone is flying: no answer.\n');
    expect(banner(without, options)).not.toMatch(/null|MQTT|WebSocket|Docs/);
  });

  test('sources a file of the working folder by a path with a slash', () => {
    const text = banner(facts, { ...options, folder: process.cwd() });
    expect(text).toContain('  . ./demo.env\n');
    expect(text).toContain(join(process.cwd()));
  });
});

describe('Demo environment', () => {
  const partner = {
    organisationId: 'o',
    clientId: 'c',
    clientSecret: "s'$(false)+",
    apiKey: 'k',
    scopes: [],
    deviceGroups: [{ deviceGroupId: 'group-1', devices: [{ deviceId: 'device-1' }, { deviceId: 'device-2' }] }],
  };
  const facts = {
    baseUrl: 'http://127.0.0.1:1',
    wsUrl: 'ws://127.0.0.1:2',
    mqttUrl: 'mqtts://127.0.0.1:3',
    caFile: '/a b/ca.pem',
    shareBaseUrl: null,
    docsUrl: null,
    demoFlightUrl: null,
    partners: [partner],
  };

  test('the environment of the guides has the demo partner of the stack, unchanged by the shell', () => {
    const folder = mkdtempSync(join(tmpdir(), 'demo-environment-'));
    writeDemoEnvironment(folder, facts);
    const file = join(folder, DEMO_ENVIRONMENT);
    const printed = execFileSync('bash', ['--norc', '-c', `. ${file}; env -0`], { env: {} }).toString();
    expect(Object.fromEntries(printed.split('\0').map((line) => line.split(/=(.*)/s).slice(0, 2)))).toMatchObject({
      BASE_URL: facts.baseUrl,
      WS_URL: facts.wsUrl,
      MQTT_URL: facts.mqttUrl,
      CA_FILE: facts.caFile,
      MQTT_HOST: '127.0.0.1',
      MQTT_PORT: '3',
      CLIENT_ID: 'c',
      CLIENT_SECRET: partner.clientSecret,
      API_KEY: 'k',
      DEVICE_GROUP_ID: 'group-1',
      DEVICE_ID: 'device-1',
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
  });

  test('without a partner there is no environment', () => {
    expect(demoEnvironment({ ...facts, partners: [] })).toBe('');
  });
});

describe('Demo partners', () => {
  const partner = { organisationId: 'o', clientId: 'c', clientSecret: 's', apiKey: 'k', scopes: [], deviceGroups: [] };
  const { signal } = new AbortController();

  let folder: string;
  let stack: ReadyStack;
  const onboard = jest.fn(() => Promise.resolve([partner]));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'demo-partners-'));
    const access = {
      endpointUrl: '',
      region: '',
      stackName: '',
      accessKeyId: '',
      secretAccessKey: '',
      sessionToken: '',
    };
    const outputs = { WebSocketUrl: 'ws://127.0.0.1:1', Other: 'x' };
    stack = { baseUrl: 'http://127.0.0.1:1', mqttUrl: null, caFile: '', outputs, access, dataFolder: folder };
    onboard.mockClear();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });
  const file = () => join(folder, 'partners.json');

  test('are onboarded at the first start and kept for the next', async () => {
    const facts = { wsUrl: 'ws://127.0.0.1:1', shareBaseUrl: null, docsUrl: null, partners: [partner] };
    expect(await addDemoPartners(stack, signal, onboard)).toEqual(facts);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(await addDemoPartners(stack, signal, onboard)).toEqual(facts);
    expect(onboard).toHaveBeenCalledTimes(1);
  });

  test('are not onboarded again when their file is damaged, which is named with the remedy', async () => {
    writeFileSync(file(), '{"partners":[');
    const message = `${file()}, line 1 can't be read: put back a copy of it, or remove ${folder} to start afresh`;
    await expect(addDemoPartners(stack, signal, onboard)).rejects.toThrow(message);
    expect(onboard).not.toHaveBeenCalled();
    expect(readFileSync(file(), 'utf8')).toBe('{"partners":[');
  });

  test('stop the start in one line when the disk is full', async () => {
    jest.spyOn(fs, 'writeFileSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    });
    const message = `${file()}: no space left on the device; free some and start again`;
    await expect(addDemoPartners(stack, signal, onboard)).rejects.toThrow(message);
  });
});

describe('Messages', () => {
  /** Folders whose errors end `npm start`, `npm run demo` and `npm run token` with their message. */
  const folders = ['bin/start', 'bin/demo', 'bin/command-line', 'bin/client', 'packages/cloud-assembly-runner/stack'];

  /** Every message that a person can get from them, and the words that tell what to do. */
  const messages: readonly (readonly [message: string, tells: RegExp])[] = [
    ['The stack ended unexpectedly: what it printed last says why.', /what it printed last/],
    ['takes options only, such as --app', /such as --app/],
    ["--api-key is no option, since a secret is kept in the shell's history: see --help", /see --help/],
    ['unknown option --memry; did you mean --memory?', /did you mean --memory/],
    ['--instances must be from 1 to 1000.', /must be from 1 to 1000/],
    ['Port 3000 is in use. Stop the program that listens there, or set PORT.', /Stop the program .* or set PORT/],
    [
      'A stack that uses /x already runs: http://127.0.0.1:3000. Stop it, or set LOCAL_DIR.',
      /Stop it, or set LOCAL_DIR/,
    ],
    ['Seeding failed:\npartner: there is no space left', /partner: /],
    ['No stack is running here: start one with `npm start` in another terminal.', /start one with `npm start`/],
    ['the stack has no demo partner: stop it and remove .local to start afresh', /remove \.local/],
    ['the demo partner has no drones: stop the stack and remove .local to start afresh', /remove \.local/],
    [
      'no drone is free: each was dispatched in the last minute, or is in the air; wait a minute and try again',
      /wait a minute and try again/,
    ],
    ['the service dispatched device-1, and Kestrel 2 is nearest: see .local/functions.log', /see \.local/],
    ['the page behind the link answers 404: see .local/functions.log', /see \.local/],
    ['the job has failed: GET /v3/jobs/job-1 has its reason', /GET .* has its reason/],
    ['the drone has landed, and was never within 25 m of the alarm: see .local/functions.log', /see \.local/],
    ['PAUSE ended as REFUSED, TOO_LATE: see .local/functions.log', /see \.local/],
    ['waiting for the drone to land took too long: see the log', /see/],
    [
      'The MQTT broker refused the token: it must belong to this client and be valid for at least five more minutes.',
      /must belong to this client and be valid/,
    ],
  ];

  test.each(messages)('the message %j tells what to do', (message, tells) => {
    expect(message).toMatch(tells);
    // It is one that the source has, to the letter.
    expect(patterns.some((pattern) => pattern.test(message))).toBe(true);
  });

  const patterns = folders.flatMap((folder) => thrownMessages(folder, ['Error', 'UsageError']));

  test('every message that the source has is among them', () => {
    const unlisted = patterns.filter((pattern) => !messages.some(([message]) => pattern.test(message)));
    expect(unlisted).toEqual([]);
  });
});

describe('The usage of npm start', () => {
  const root = join(__dirname, '../../..');

  function start(...words: string[]) {
    const args = ['--require', 'tsx/cjs', join('bin', 'start.ts'), ...words];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  test('npm start -- --help explains every option and starts nothing', () => {
    const { status, stdout } = start('--help');
    expect(status).toBe(0);
    const own = ['app', 'memory', 'instances', 'quotas', 'new-account', 'token-lifetime', 'alarm-period', 'faults'];
    for (const option of [...own, 'no-fleet', 'fleet-speed', 'fleet-rest', 'help'])
      expect(stdout).toMatch(new RegExp(`^ {2}--${option}\\b`, 'm'));
  });

  test.each([
    [['--memry'], 'unknown option --memry; did you mean --memory?\n'],
    [['--instances', '0'], '--instances must be from 1 to 1000.\n'],
    [['--alarm-period', '0'], '--alarm-period must be from 1 to 300000.\n'],
    [['memory'], 'takes options only, such as --app\n'],
  ])('npm start -- %j is refused in one line', (words, line) => {
    expect(start(...words)).toEqual({ status: 1, stdout: '', stderr: line });
  });
});
