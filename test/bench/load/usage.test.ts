import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLoad, scenarios } from './command-line';
import { errorShare, linesOf, type Outcome } from './outcome';
import { findTarget } from './target';

const root = join(__dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'load-usage-'));
afterAll(() => rmSync(folder, { recursive: true }));

const stackNames = ['LOCAL_DIR', 'BASE_URL', 'WS_URL', 'MQTT_URL', 'CLIENT_ID', 'CLIENT_SECRET', 'API_KEY'] as const;
beforeEach(() => stackNames.forEach((name) => Reflect.deleteProperty(process.env, name)));

/** @returns the path of a file with that content */
function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const partner = {
  organisationId: 'org-1',
  clientId: 'client',
  clientSecret: 'hush',
  apiKey: 'hush',
  scopes: [],
  deviceGroups: [],
};
const addresses = { baseUrl: 'https://api.test', wsUrl: 'wss://ws.test', mqttUrl: 'mqtts://mqtt.test:8883' };

describe('npm run load', () => {
  test.each([
    [['--help'], 0, /^Sends load at a steady rate[^]+--max-errors/, /^$/],
    [[], 1, /^$/, /^load: No stack is running here: start one with `npm start` in another terminal.\n$/],
    [['mqt'], 2, /^$/, /^load: no scenario mqt; did you mean mqtt\?; see --help\n$/],
  ])('%j has the exit code %d', (words, status, stdout, stderr) => {
    const args = ['--conditions=drone-mission-source', '--require', 'tsx/cjs', 'test/bench/load/main.ts', ...words];
    const env = { ...process.env, LOCAL_DIR: folder };
    const found = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env });
    expect(found).toMatchObject({
      status,
      stdout: expect.stringMatching(stdout) as string,
      stderr: expect.stringMatching(stderr) as string,
    });
  });
});

describe('readLoad', () => {
  test('without options is all scenarios for half a minute, without an error', () => {
    expect(readLoad([])).toEqual({
      scenarios,
      seconds: 30,
      maxErrors: 0,
      help: false,
      rate: undefined,
      connections: undefined,
      credentials: undefined,
    });
  });

  test('reads scenarios and options', () => {
    const words = [
      'wss',
      'rest',
      '--rate=20',
      '--duration=5',
      '--connections=100',
      '--max-errors=0.5',
      '--credentials=a',
    ];
    expect(readLoad(words)).toEqual({
      scenarios: ['wss', 'rest'],
      rate: 20,
      seconds: 5,
      connections: 100,
      maxErrors: 0.005,
      credentials: 'a',
      help: false,
    });
  });

  test.each([
    [['--rate=0'], '--rate must be a whole number from 1'],
    [['--duration=1.5'], '--duration must be a whole number from 1'],
    [['--connections=many'], '--connections must be a whole number from 1'],
    [['--max-errors=101'], '--max-errors must be a percentage'],
    [
      ['--client-secret=hush'],
      "--client-secret is no option, since a secret is kept in the shell's history: see --help",
    ],
  ])('refuses %j', (words, message) => {
    expect(() => readLoad(words)).toThrow(message);
  });
});

describe('findTarget', () => {
  test('is the stack of a file before that of the environment', () => {
    Object.assign(process.env, { BASE_URL: 'https://other.test', CLIENT_ID: 'c', CLIENT_SECRET: 's', API_KEY: 'k' });
    expect(findTarget(file('partner.json', { ...addresses, partners: [partner] }))).toMatchObject(addresses);
  });

  test('is the stack of the environment before the one here', () => {
    Object.assign(process.env, { LOCAL_DIR: folder, BASE_URL: 'https://other.test/' });
    Object.assign(process.env, { CLIENT_ID: 'c', CLIENT_SECRET: 's', API_KEY: 'k' });
    file('stack.json', { ...addresses, partners: [partner] });
    expect(findTarget(undefined)).toMatchObject({ baseUrl: 'https://other.test', wsUrl: null, mqttUrl: null });
  });

  test.each([
    ['an address of another kind', { ...addresses, baseUrl: 'ftp://hush', partners: [partner] }],
    ['no clients', addresses],
  ])('refuses a file with %s and repeats nothing of it', (what, content) => {
    const path = file(`${what}.json`, content);
    expect(() => findTarget(path)).toThrow(`${path}: missing or not as expected; see --help`);
  });

  test('names what the environment lacks', () => {
    Object.assign(process.env, { BASE_URL: 'https://other.test', CLIENT_ID: 'c' });
    expect(() => findTarget(undefined)).toThrow('CLIENT_ID, CLIENT_SECRET and API_KEY: missing or not as expected');
  });

  test('refuses a load that takes more clients of one organisation', async () => {
    const other = { ...partner, organisationId: 'org-2' };
    const { clients } = findTarget(file('two.json', { ...addresses, partners: [partner, other] }));
    await expect(clients(2)).rejects.toThrow("the limits of 1 clients don't allow that load: it needs 2 clients");
  });
});

describe('An outcome', () => {
  const latency = { p50: 9.4, p90: 20, p95: 30, p99: 400, max: 1234.5 };
  const outcome: Outcome = {
    scenario: 'rest',
    rate: { asked: 50, achieved: 49.21 },
    latencies: { 'all requests': latency },
    expected: 200,
    errors: new Map([
      ['GET /v3/jobs: 500', 2],
      ['not sent: two seconds’ worth of requests wait', 1],
    ]),
  };

  test('is printed with percentiles and the kinds of errors', () => {
    expect(linesOf(outcome)).toEqual([
      'rest: 49.2 a second of 50',
      '  latency in ms                  p50    p90    p95    p99    max',
      '  all requests                     9     20     30    400   1235',
      '  errors: 1.50 % of 200',
      '    2 × GET /v3/jobs: 500',
      '    1 × not sent: two seconds’ worth of requests wait',
    ]);
  });

  test('has the share of everything that failed', () => {
    expect(errorShare(outcome)).toBe(0.015);
  });
});
