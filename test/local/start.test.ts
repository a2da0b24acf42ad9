import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followAddress } from '../../local/changed-address';

// Programs are started, on a machine that may be busy.
jest.setTimeout(30_000);

const root = join(__dirname, '../..');

/** Runs `npm start`'s program until it ends by itself. */
function start(env: Record<string, string>, ...flags: string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', 'local/main.ts', ...flags], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}

describe('Starting the stack', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'start-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('says in one line that its port is taken', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const { code, said } = await start({ LOCAL_DIR: folder, PORT: String(port) });
    await new Promise((closed) => server.close(closed));
    expect(said.trim()).toBe(`Port ${port} is taken. Stop what listens there, or set PORT.`);
    expect(code).toBe(1);
  });

  it('says in one line what is wrong in a file of faults', async () => {
    const file = join(folder, 'faults.json');
    writeFileSync(file, '{"dynamodb":{"throttled":20}}');
    const { code, said } = await start({ LOCAL_DIR: folder }, '--faults', file);
    expect(said.trim()).toBe(`--faults ${file}: dynamodb.throttled: Too big: expected number to be <=1`);
    expect(code).toBe(1);
  });

  it('names a type of the template that it does not know, and ends', async () => {
    const app = join(folder, 'app');
    const artifact = { type: 'aws:cloudformation:stack', properties: { templateFile: 'template.json' } };
    const template = { Resources: { Strange: { Type: 'AWS::Foo::Bar' } } };
    mkdirSync(app);
    writeFileSync(join(app, 'manifest.json'), JSON.stringify({ artifacts: { Stack: artifact } }));
    writeFileSync(join(app, 'template.json'), JSON.stringify(template));
    const { code, said } = await start({ LOCAL_DIR: folder, PORT: '20481' }, '--app', app, '--memory');
    expect(said).toContain('AWS::Foo::Bar (Strange)');
    expect(code).toBe(1);
  });

  it('moves the scopes of stored clients to its new address', () => {
    const clients = join(folder, 'app-clients.json');
    followAddress(folder, 'http://127.0.0.1:3000');
    writeFileSync(clients, '["http://127.0.0.1:3000/command:read"]');
    followAddress(folder, 'http://127.0.0.1:3000');
    expect(readFileSync(clients, 'utf8')).toBe('["http://127.0.0.1:3000/command:read"]');
    followAddress(folder, 'http://127.0.0.1:4000');
    expect(readFileSync(clients, 'utf8')).toBe('["http://127.0.0.1:4000/command:read"]');
  });
});
