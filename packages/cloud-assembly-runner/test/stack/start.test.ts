import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../free-port';

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
