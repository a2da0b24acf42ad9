import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { processTerminal } from '../../bin/command-line/terminal';
import { commandFlags } from '../../bin/partner/command-line';
import { scripts } from '../../package.json';
import { cloudFormation, partner, partnerAt } from './fixtures/aws';
import { cirrus, file, folder, onboarded } from './fixtures/onboarded';

describe('npm run partner', () => {
  test('loads its commands', () => {
    const { stderr, status } = spawnSync('sh', ['-c', `${scripts.partner} list --local`], {
      cwd: join(__dirname, '../..'),
      env: { ...process.env, LOCAL_DIR: join(folder, 'nowhere') },
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/^partner: no local stack is running/);
    expect(status).toBe(1);
  });

  test.each([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])('asks only where standard input and standard error are terminals: %s, %s', (stdin, stderr) => {
    const before = [process.stdin.isTTY, process.stderr.isTTY];
    try {
      [process.stdin.isTTY, process.stderr.isTTY] = [stdin, stderr];
      expect(processTerminal().ask !== undefined).toBe(stdin && stderr);
    } finally {
      [process.stdin.isTTY = false, process.stderr.isTTY = false] = before;
    }
  });
});

const tooLong = (text: string) => text.split('\n').filter(({ length }) => length > 80);
const commands = Object.entries(commandFlags);

test.each(['help', '--help'])('%s names every command in a screen of 80 columns and 24 lines', async (word) => {
  const { exitCode, printed } = await partner(word);
  expect(exitCode).toBe(0);
  for (const [command] of commands) expect(printed).toContain(`\n  ${command} `);
  expect(printed.split('\n').length).toBeLessThanOrEqual(24);
  expect(tooLong(printed)).toEqual([]);
});

test.each(commands)('help of %s describes its options and has an example', async (command, flags) => {
  const { exitCode, printed } = await partner(command, '--help');
  expect(exitCode).toBe(0);
  for (const flag of [...flags, 'local', 'stack', 'json']) expect(printed).toContain(`\n  --${flag} `);
  expect(printed).toContain(`\n  npm run --silent partner -- ${command} `);
  expect(tooLong(printed)).toEqual([]);
  expect(await partner('help', command)).toEqual({ exitCode: 0, printed, errorOutput: '' });
  expect(cloudFormation.calls()).toHaveLength(0);
});

describe('The deployment', () => {
  const before = { ...process.env };
  afterEach(() => {
    process.env = { ...before };
  });

  const stackName = () => cloudFormation.commandCalls(DescribeStacksCommand)[0]?.args[0].input.StackName;

  test('is DroneMissionApi unless STACK_NAME or --stack names another', async () => {
    await partner('list');
    expect(stackName()).toBe('DroneMissionApi');
    cloudFormation.resetHistory();
    process.env['STACK_NAME'] = 'FromEnvironment';
    await partner('list');
    expect(stackName()).toBe('FromEnvironment');
    cloudFormation.resetHistory();
    await partner('list', '--stack', 'FromFlag');
    expect(stackName()).toBe('FromFlag');
  });

  test('is the local stack with --local, whatever AWS profile is set', async () => {
    process.env['LOCAL_DIR'] = folder;
    process.env['AWS_PROFILE'] = 'production';
    const endpointUrl = 'http://127.0.0.1:4000';
    const keys = { accessKeyId: 'LOCAL1', secretAccessKey: 'local' };
    file('aws.json', { endpointUrl, region: 'eu-west-1', stackName: 'Local', ...keys });
    expect(await partner('list', '--local')).toMatchObject({ exitCode: 0 });
    expect(stackName()).toBe('Local');
    expect(process.env).toMatchObject({ AWS_ENDPOINT_URL: endpointUrl, AWS_ACCESS_KEY_ID: 'LOCAL1' });
    expect(process.env).not.toHaveProperty('AWS_PROFILE');
  });

  test('hands over the certificate authority of the local stack, once it is known, and of no other', async () => {
    process.env['LOCAL_DIR'] = folder;
    const keys = { accessKeyId: 'LOCAL1', secretAccessKey: 'local' };
    file('aws.json', { endpointUrl: 'http://127.0.0.1:4000', region: 'eu-west-1', stackName: 'Local', ...keys });
    const caFiles = async (...words: string[]) => {
      const { printed } = await partner(...cirrus, ...words);
      const asJson = await partner(...cirrus, ...words, '--json');
      return [/CA file for MQTT +(\S+)/.exec(printed)?.[1], (JSON.parse(asJson.printed) as { caFile?: string }).caFile];
    };
    expect(await caFiles('--local')).toEqual([undefined, undefined]);
    file('stack.json', { caFile: '/stack/ca.pem' });
    expect(await caFiles('--local')).toEqual(['/stack/ca.pem', '/stack/ca.pem']);
    expect(await caFiles()).toEqual([undefined, undefined]);
  });
});

/** What a terminal shows after escape sequences that delete a line. */
const visible = (text: string) => text.replaceAll(/[^\n]*\r\u001b\[K/g, '');

describe('Progress', () => {
  test('is a line on standard error that names the step, is redrawn and is deleted at the end', async () => {
    const { printed, errorOutput } = await partnerAt({ errorColumns: 80 }, ...cirrus, '--json');
    expect(JSON.parse(printed)).toHaveProperty('partners');
    expect(errorOutput).toContain('… creating OAuth client and API key of cirrus');
    expect(errorOutput).not.toContain('\n');
    expect(visible(errorOutput)).toBe('');
  });

  test('leaves only the message of a failure, and of a warning', async () => {
    await onboarded();
    const { errorOutput } = await partnerAt({ errorColumns: 80 }, ...cirrus);
    expect(visible(errorOutput)).toMatch(/^partner: warning: [^\n]+\n$/);
    const failed = await partnerAt({ errorColumns: 80 }, 'suspend', '--client-id', 'none');
    expect(visible(failed.errorOutput)).toMatch(/^partner: there is no client [^\n]+\n$/);
  });

  test('never wraps, since only its last line would be deleted', async () => {
    const { errorOutput } = await partnerAt({ errorColumns: 20 }, ...cirrus);
    const drawn = errorOutput.split('\r\u001b[K');
    expect(drawn.length).toBeGreaterThan(2);
    expect(drawn.filter(({ length }) => length >= 20)).toEqual([]);
  });
});
