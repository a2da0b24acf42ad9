import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../free-port';
import { until } from '../until';

// Starts processes, possibly on a busy machine.
jest.setTimeout(120_000);

const main = join(__dirname, '../../main.ts');
const template = {
  Resources: {
    Api: {
      Type: 'AWS::ApiGateway::RestApi',
      Properties: {
        Body: {
          openapi: '3.0.1',
          info: { title: 'api', version: '1' },
          paths: {
            '/': {
              get: {
                responses: { 200: { description: 'OK' } },
                'x-amazon-apigateway-integration': {
                  type: 'mock',
                  requestTemplates: { 'application/json': '{"statusCode":200}' },
                },
              },
            },
          },
        },
      },
    },
    Deployment: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId: { Ref: 'Api' } } },
    Stage: {
      Type: 'AWS::ApiGateway::Stage',
      Properties: { RestApiId: { Ref: 'Api' }, DeploymentId: { Ref: 'Deployment' }, StageName: 'v3' },
    },
  },
};

describe('A start after npm start was killed', () => {
  let folder: string;
  let env: Record<string, string>;
  const started: ChildProcess[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'killed-'));
    const artifact = { type: 'aws:cloudformation:stack', properties: { templateFile: 'template.json' } };
    mkdirSync(join(folder, 'app'));
    writeFileSync(join(folder, 'app', 'manifest.json'), JSON.stringify({ artifacts: { Stack: artifact } }));
    writeFileSync(join(folder, 'app', 'template.json'), JSON.stringify(template));
    const names = ['PORT', 'IDENTITY_PORT', 'WS_PORT', 'MQTT_PORT'];
    const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const));
    env = { LOCAL_DIR: folder, ...Object.fromEntries(ports) };
  });
  afterEach(async () => {
    for (const { pid } of started) if (pid !== undefined) kill(pid, 'SIGTERM');
    await until(() => started.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null));
    started.length = 0;
    rmSync(folder, { recursive: true });
  });

  /** Runs the package's program; `output` collects what it prints. */
  function start() {
    const words = ['--require', 'tsx/cjs', main, '--app', join(folder, 'app')];
    const child = spawn(process.execPath, words, { env: { ...process.env, ...env } });
    started.push(child);
    const run = { child, output: '' };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (run.output += chunk.toString()));
    return run;
  }
  const isUp = () => existsSync(join(folder, 'stack.json'));
  const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

  test('succeeds as soon as the killed stack has freed its ports', async () => {
    const first = start();
    await until(() => isUp() || hasEnded(first.child));
    expect(first.output).not.toContain('Error');
    const { stack } = JSON.parse(readFileSync(join(folder, 'processes.json'), 'utf8')) as { stack: number };
    // Delays the end of the stack until SIGCONT.
    kill(stack, 'SIGSTOP');
    first.child.kill('SIGKILL');
    await until(() => hasEnded(first.child));
    const second = start();
    await until(() => second.output !== '');
    kill(stack, 'SIGCONT');
    await until(() => second.output.includes('http') || hasEnded(second.child));
    expect(second.output).toContain('still stopping; waiting for its ports');
    expect(second.output).toContain(`http://127.0.0.1:${env.PORT}`);
    expect(hasEnded(second.child)).toBe(false);
  });

  test('finds no processes.json after a regular stop', async () => {
    const first = start();
    await until(() => isUp() || hasEnded(first.child));
    expect(existsSync(join(folder, 'processes.json'))).toBe(true);
    first.child.kill('SIGTERM');
    await until(() => hasEnded(first.child));
    expect(existsSync(join(folder, 'processes.json'))).toBe(false);
    expect(existsSync(join(folder, 'stack.json'))).toBe(false);
  });
});

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has already ended.
  }
}
