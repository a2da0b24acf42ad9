import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../free-port';
import { run, type RunOptions } from '../../stack/run';

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
