import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../bin/smoke/run';
import { readTarget } from '../../bin/smoke/target';

describe('Smoke usage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drone-smoke-usage-'));
  const elsewhere = join(folder, 'elsewhere');
  const before = { ...process.env };

  beforeEach(() => {
    process.env = { ...before, LOCAL_DIR: elsewhere };
  });
  afterAll(() => {
    process.env = before;
    rmSync(folder, { recursive: true });
  });

  async function smoke(...words: string[]) {
    let printed = '';
    let errorOutput = '';
    const terminal = {
      print: (text: string) => (printed += text),
      printError: (text: string) => (errorOutput += text),
    };
    return { exitCode: await run(words, terminal), printed, errorOutput };
  }

  function file(name: string, content: unknown): string {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  const partner = { clientId: 'acme', clientSecret: 'hush-hush', apiKey: 'hush-key', scopes: ['command:read'] };
  const partners = [{ ...partner, deviceGroups: [] }];
  const nowhere = { baseUrl: 'http://127.0.0.1:9', wsUrl: 'ws://127.0.0.1:9', mqttUrl: 'mqtts://127.0.0.1:9' };
  const good = () => file('good.json', { ...nowhere, partners });

  describe('An invalid command line', () => {
    const here = ['--base-url', 'http://127.0.0.1:9', '--client', 'acme'];
    const invalid: [string, () => string[], RegExp][] = [
      ['no service', () => [], /no stack runs here .*: start one, or give --base-url or --credentials\n/],
      ['a misspelt option', () => ['--base-ulr', 'x'], /unknown option --base-ulr; did you mean --base-url\?\n/],
      [
        'a misspelt option with its value',
        () => ['--cilent=hush'],
        /unknown option --cilent; did you mean --client\?\n/,
      ],
      ['an option unlike any', () => ['--fly-to-the-moon'], /unknown option --fly-to-the-moon; see --help\n/],
      ['a short option', () => ['-x'], /unknown option -x; see --help\n/],
      ['a secret', () => ['--client-secret', 'hush'], /--client-secret is no option, since a secret/],
      ['an API key', () => ['--api-key=hush'], /--api-key is no option, since a secret/],
      ['a word', () => ['hush'], /takes options only/],
      ['an option without its value', () => ['--base-url'], /argument missing/],
      ['a value for a switch', () => ['--local=hush'], /does not take an argument/],
      ['an unknown part', () => ['--without', 'mqt'], /some of mqtt, wss, scopes, limits; did you mean mqtt\?\n/],
      ['a part unlike any', () => ['--without', 'mqtt,everything'], /some of mqtt, wss, scopes, limits\n/],
      ['two files', () => ['--local', '--credentials', good()], /either --local or --credentials/],
      ['no client', () => ['--base-url', 'http://127.0.0.1:9'], /--client is missing, or --credentials/],
      ['no secret', () => here, /--client: CLIENT_SECRET and API_KEY are not both in the environment/],
      [
        'a client that is not in the file',
        () => ['--credentials', good(), '--client', 'borealis'],
        /it is not in the file/,
      ],
      [
        'no secret of the narrow client',
        () => ['--credentials', good(), '--narrow-client', 'b'],
        /--narrow-client: .*NARROW_CLIENT_SECRET and NARROW_API_KEY/,
      ],
      ['a file that is not there', () => ['--credentials', join(folder, 'none')], /none: can't be read/],
      [
        'a file of another form',
        () => ['--credentials', file('odd.json', { hush: 1 })],
        /is not what `partner onboard/,
      ],
      ['a file that is no JSON', () => ['--credentials', file('bad.json', 'hush')], /is not what `partner onboard/],
      ['an authority that is not there', () => ['--credentials', good(), '--ca-file', 'none'], /--ca-file none: can't/],
      ['an address of another kind', () => ['--credentials', good(), '--base-url', 'ftp://a'], /--base-url must match/],
      ['an address that is none', () => ['--credentials', good(), '--ws-url', 'wss://'], /--ws-url must match/],
      [
        'no WebSocket address',
        () => ['--credentials', file('no-ws.json', { ...nowhere, wsUrl: null, partners })],
        /--ws-url is missing: give it, or --without wss\n/,
      ],
      [
        'no MQTT address',
        () => ['--credentials', file('no-mqtt.json', { ...nowhere, mqttUrl: undefined, partners })],
        /--mqtt-url is missing: give it, or --without mqtt\n/,
      ],
    ];
    test.each(invalid)('with %s is refused in one line with exit code 2', async (_, words, errorOutput) => {
      const given = await smoke(...words());
      expect(given).toMatchObject({ exitCode: 2, printed: '' });
      expect(given.errorOutput).toMatch(errorOutput);
      expect(given.errorOutput).toMatch(/^smoke: [^\n]+\n$/);
      expect(given.errorOutput).not.toContain('hush');
    });
  });

  test('--local without a local stack fails in one line with exit code 1', async () => {
    const { exitCode, errorOutput } = await smoke('--local');
    expect(exitCode).toBe(1);
    expect(errorOutput).toMatch(/^smoke: no local stack is running .*: start it with `npm start`\n$/);
  });

  test('the local stack is the default target', async () => {
    process.env['LOCAL_DIR'] = folder;
    file('stack.json', { ...nowhere, partners });
    const { exitCode, printed } = await smoke();
    expect(printed).toContain('smoke test of http://127.0.0.1:9\n');
    expect(printed).toContain('FAIL  token: expected an answer, got ');
    expect(exitCode).toBe(1);
  });

  test('skipped parts are reported with the reason', async () => {
    const addresses = ['--mqtt-url', 'none', '--ws-url', 'none', '--without', 'limits'];
    const { printed } = await smoke('--credentials', good(), ...addresses);
    for (const step of ['follow the job over MQTTS', 'view the share', '429 beyond the limit'])
      expect(printed).toContain(`skip  ${step}: skipped by option\n`);
    expect(printed).toMatch(/skip {2}403 outside the scopes: no client with fewer scopes was given/);
  });

  test('help names every option', async () => {
    const { exitCode, printed } = await smoke('--help', '--local');
    expect(exitCode).toBe(0);
    const options = ['local', 'credentials', 'base-url', 'ws-url', 'mqtt-url', 'client', 'narrow-client', 'ca-file'];
    for (const option of [...options, 'without', 'help'])
      expect(printed).toMatch(new RegExp(`^ {2}--${option}\\b`, 'm'));
  });
});

describe('Smoke target', () => {
  const folder = mkdtempSync(join(tmpdir(), 'smoke-target-'));
  const [credentials, caFile] = [join(folder, 'partner.json'), join(folder, 'ca.pem')];
  const partner = { clientId: 'client-1', clientSecret: 'the secret', apiKey: 'the key', scopes: [] };
  const here = 'http://127.0.0.1:3000';

  /** Writes what `npm run partner -- onboard … --json` prints for a stack. */
  const givenOnboardedAt = (baseUrl: string) =>
    writeFileSync(credentials, JSON.stringify({ baseUrl, wsUrl: 'ws://b', mqttUrl: 'mqtts://c', partners: [partner] }));

  beforeAll(() => {
    process.env['LOCAL_DIR'] = folder;
    writeFileSync(caFile, 'the authority of this machine');
    writeFileSync(join(folder, 'stack.json'), JSON.stringify({ baseUrl: here, caFile, partners: [partner] }));
  });
  afterAll(() => {
    delete process.env['LOCAL_DIR'];
    rmSync(folder, { recursive: true });
  });

  test('trusts the certificate authority of the local stack with its credentials', () => {
    givenOnboardedAt(here);
    expect(readTarget({ credentials, without: [] }).ca).toContain('the authority of this machine');
  });

  test('does not trust it with the credentials of another stack', () => {
    givenOnboardedAt('https://api.example.com');
    expect(readTarget({ credentials, without: [] }).ca ?? []).not.toContain('the authority of this machine');
  });
});
