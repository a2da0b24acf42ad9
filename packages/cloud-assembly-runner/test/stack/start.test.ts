import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { freePort } from '../../free-port';
import { run, type RunOptions } from '../../stack/run';
import { keptPort, assertFree, portsFrom } from '../../stack/ports';
import { serverCertificate } from '../../stack/certificate-authority';

const main = join(__dirname, '../../main.ts');

/** Runs the package's program until it exits. */
function start(env: Record<string, string>, ...flags: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', main, ...flags], {
    env: { ...process.env, ...env },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: output })));
}

describe('The start of the stack', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'start-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('fails in one line when a port is in use', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const { code, output: output } = await start({ LOCAL_DIR: folder, PORT: String(port) }, '--app', folder);
    await new Promise((closed) => server.close(closed));
    expect(output.trim()).toBe(`Port ${port} is in use. Stop the program that listens there, or set PORT.`);
    expect(code).toBe(1);
  });

  test('fails in one line for an invalid faults file', async () => {
    const file = join(folder, 'faults.json');
    writeFileSync(file, '{"dynamodb":{"throttled":20}}');
    const { code, output: output } = await start({ LOCAL_DIR: folder }, '--app', folder, '--faults', file);
    expect(output.trim()).toBe(`--faults ${file}: dynamodb.throttled: Too big: expected number to be <=1`);
    expect(code).toBe(1);
  });

  test.each(['0', '86401', '1.5', '-120', '2m', ''])(
    'fails in one line for the token lifetime %p',
    async (lifetime) => {
      const { code, output } = await start({ LOCAL_DIR: folder }, '--app', folder, `--token-lifetime=${lifetime}`);
      expect(output.trim()).toBe('--token-lifetime must be from 1 to 86400.');
      expect(code).toBe(1);
    },
  );

  test('fails with the name of an unknown resource type', async () => {
    const app = join(folder, 'app');
    const artifact = { type: 'aws:cloudformation:stack', properties: { templateFile: 'template.json' } };
    const template = { Resources: { Strange: { Type: 'AWS::Foo::Bar' } } };
    mkdirSync(app);
    writeFileSync(join(app, 'manifest.json'), JSON.stringify({ artifacts: { Stack: artifact } }));
    writeFileSync(join(app, 'template.json'), JSON.stringify(template));
    const names = ['PORT', 'IDENTITY_PORT', 'WS_PORT', 'MQTT_PORT'];
    const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const));
    const env = { LOCAL_DIR: folder, ...Object.fromEntries(ports) };
    const { code, output: output } = await start(env, '--app', app, '--memory');
    expect(output).toContain('AWS::Foo::Bar (Strange)');
    expect(code).toBe(1);
  });
});

const template = { Resources: {}, Outputs: { Greeting: { Value: 'hello' } } };

describe('Running a stack', () => {
  let folder: string;
  let options: Omit<RunOptions<object>, 'prepare' | 'ready'>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'run-test-'));
    const app = join(folder, 'app');
    const artifact = { type: 'aws:cloudformation:stack', properties: { templateFile: 'template.json' } };
    mkdirSync(app);
    writeFileSync(join(app, 'manifest.json'), JSON.stringify({ artifacts: { Stack: artifact } }));
    writeFileSync(join(app, 'template.json'), JSON.stringify(template));
    const [port, identityPort, wsPort, mqttPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const ports = { port, identityPort, wsPort, mqttPort };
    options = { assembly: app, folder: join(folder, 'data'), ports, memory: false, instances: 1 };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const read = (name: string): unknown => JSON.parse(readFileSync(join(options.folder, name), 'utf8'));
  const dataFiles = () => readdirSync(options.folder);

  test('adds the result of prepare to stack.json, which exists only while the stack runs', async () => {
    const stopping = new AbortController();
    const seen: unknown[] = [];
    await run(
      {
        ...options,
        prepare({ outputs, dataFolder, access }) {
          expect(dataFiles()).not.toContain('stack.json');
          seen.push(outputs, dataFolder, access.stackName);
          return Promise.resolve({ greeting: outputs['Greeting'] });
        },
        ready(facts) {
          seen.push(facts, read('stack.json'), read('aws.json'));
          for (const name of ['stack.json', 'aws.json']) seen.push(statSync(join(options.folder, name)).mode & 0o777);
          stopping.abort();
        },
      },
      stopping.signal,
    );
    const { baseUrl, caFile } = {
      baseUrl: `http://127.0.0.1:${options.ports.port}`,
      caFile: join(options.folder, 'ca.pem'),
    };
    const facts = { baseUrl, mqttUrl: null, caFile, greeting: 'hello' };
    const access = expect.objectContaining({ stackName: 'Stack', region: 'eu-central-1' }) as unknown;
    expect(seen).toEqual([{ Greeting: 'hello' }, options.folder, 'Stack', facts, facts, access, 0o600, 0o600]);
    expect(dataFiles()).not.toContain('stack.json');
    expect(dataFiles()).not.toContain('aws.json');
    expect(dataFiles()).not.toContain('processes.json');
  });

  test('stops and rejects when prepare fails', async () => {
    const ready = jest.fn();
    const prepare = () => Promise.reject(new Error('Seeding failed'));
    await expect(run({ ...options, prepare, ready }, new AbortController().signal)).rejects.toThrow('Seeding failed');
    expect(ready).not.toHaveBeenCalled();
    expect(dataFiles()).not.toContain('stack.json');
    await expect(fetch(`http://127.0.0.1:${options.ports.port}`)).rejects.toThrow();
  });

  test('aborts prepare when it is stopped', async () => {
    const stopping = new AbortController();
    const ready = jest.fn();
    const prepare = (_stack: unknown, stopped: AbortSignal) =>
      new Promise<object>((_resolve, reject) => {
        stopped.addEventListener('abort', () => reject(new Error('aborted')));
        stopping.abort();
      });
    await run({ ...options, prepare, ready }, stopping.signal);
    expect(ready).not.toHaveBeenCalled();
  });

  const prepare = () => Promise.resolve({});
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  const done = () => Promise.resolve();

  test('completes both parts of the assembly beside prepare, which may need them', async () => {
    const stopping = new AbortController();
    const calls: unknown[] = [];
    let allCompleted: () => void = () => undefined;
    const completed = new Promise<void>((resolve) => (allCompleted = resolve));
    const completes = (part: string) => (assembly: string) => {
      calls.push([part, assembly]);
      if (calls.length === 2) allCompleted();
      return completed;
    };
    const complete = { code: completes('code'), files: completes('files') };
    const ready = () => {
      calls.push('ready');
      stopping.abort();
    };
    await run({ ...options, prepare: () => completed.then(prepare), ready, complete }, stopping.signal);
    expect(calls).toEqual([['code', options.assembly], ['files', options.assembly], 'ready']);
  });

  test('aborts complete when it is stopped, and waits until it has ended', async () => {
    const stopping = new AbortController();
    let hasEnded = false;
    const code = async (_assembly: string, stopped: AbortSignal) => {
      const { stack } = read('processes.json') as { stack: number };
      stopping.abort();
      expect(stopped.aborted).toBe(true);
      while (isAlive(stack)) await pause(20);
      // The stack has ended, so nothing else is waited for.
      await pause(200);
      hasEnded = true;
      throw new Error('aborted');
    };
    const complete = { code, files: done };
    await run({ ...options, prepare, ready: () => undefined, complete }, stopping.signal);
    expect(hasEnded).toBe(true);
  });
});

describe('The port of the AWS APIs', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kept-port-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const listen = async (port: number) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return () => new Promise((resolve) => server.close(resolve));
  };

  test('is that of the last start with the folder', async () => {
    const port = await keptPort(folder);
    expect(await keptPort(folder)).toBe(port);
  });

  test('is another one from then on, when that is taken', async () => {
    const taken = await keptPort(folder);
    const close = await listen(taken);
    const port = await keptPort(folder);
    expect(port).not.toBe(taken);
    await close();
    expect(await keptPort(folder)).toBe(port);
  });

  test('is AWS_PORT, which has to be free', async () => {
    expect(portsFrom({}).awsPort).toBeUndefined();
    const awsPort = await keptPort(folder);
    expect(portsFrom({ AWS_PORT: String(awsPort) })).toMatchObject({ awsPort });
    expect(() => portsFrom({ AWS_PORT: '65536' })).toThrow('AWS_PORT must be from 1 to 65535.');
    const close = await listen(awsPort);
    await expect(assertFree({ ...portsFrom({ PORT: '1' }), awsPort })).rejects.toThrow();
    await close();
  });
});

describe('The local certificate authority', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'authority-test-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('signs a certificate for loopback only', async () => {
    const { caFile, cert } = await serverCertificate(folder);
    const authority = new X509Certificate(await readFile(caFile));
    const server = new X509Certificate(cert);
    expect(server.verify(authority.publicKey)).toBe(true);
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(server.checkHost('localhost')).toBe('localhost');
    expect(server.checkHost('example.com')).toBeUndefined();
    expect([authority.ca, server.ca]).toEqual([true, false]);
  });

  test('is created once, with a private key that only the owner can read', async () => {
    const first = await serverCertificate(folder);
    expect(await serverCertificate(folder)).toEqual(first);
    expect((await stat(join(folder, 'server-key.pem'))).mode & 0o777).toBe(0o600);
  });

  test('is created again when a file is missing', async () => {
    const first = await serverCertificate(folder);
    await rm(first.caFile);
    const second = await serverCertificate(folder);
    expect(second.cert).not.toBe(first.cert);
    const authority = new X509Certificate(await readFile(second.caFile));
    expect(new X509Certificate(second.cert).verify(authority.publicKey)).toBe(true);
  });
});
