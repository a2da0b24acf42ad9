import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { banner } from './banner';
import { serverCertificate } from './certificate-authority';
import { readFaults } from './faults-file';
import { releaseCompiler } from './release-compiler';
import type { StackOptions } from './stack';
import { removeStackFiles, runningAt, type StackFacts } from './stack-file';
import { dyingStackEnded, forgetProcesses, noteProcesses } from './stack-processes';
import type { StackMessage } from './stack-process';
import { synthesise } from './synthesis';

const root = join(__dirname, '..');

/** `npm start`: synthesises the app and runs it on this machine until `stopped` aborts. */
async function main(stopped: AbortSignal): Promise<void> {
  const { values } = parseArgs({
    options: {
      app: { type: 'string' },
      memory: { type: 'boolean', default: false },
      // Switches off the simulated fleet.
      'no-fleet': { type: 'boolean', default: false },
      // How many times faster than real drones it flies.
      'fleet-speed': { type: 'string', default: '1' },
      // Every so many seconds devices at rest report.
      'fleet-rest': { type: 'string', default: '10' },
      // Of all functions together; each takes 14 MB and is started again when it has made room for another.
      instances: { type: 'string', default: '16' },
      // AWS's throttles bite, as in an account that has asked for no more; in a new one Lambda runs ten calls at a time.
      quotas: { type: 'boolean', default: false },
      'new-account': { type: 'boolean', default: false },
      // A JSON file that names faults, followed while the stack runs (local/faults-file.ts).
      faults: { type: 'string' },
    },
  });
  const { app, memory, 'no-fleet': withoutFleet, 'fleet-speed': speed, 'fleet-rest': rest } = values;
  const fleet = { simulatedFleet: 'true', simulatedFleetSpeed: speed, simulatedFleetRest: rest };
  const choices = withoutFleet ? {} : fleet;
  const quotas = values['new-account'] ? 'new-account' : values.quotas ? 'default' : undefined;
  const faultsFile = values.faults === undefined ? undefined : resolve(values.faults);
  if (faultsFile !== undefined) readFaults(faultsFile);
  const instances = wholeNumber('--instances', values.instances, 1000);
  const folder = resolve(process.env['LOCAL_DIR'] ?? join(root, '.local'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await dyingStackEnded(folder);
  const other = await runningAt(folder);
  if (other) throw new Error(`A stack with its data in ${folder} runs already: ${other}. Stop it, or set LOCAL_DIR.`);
  const port = portFrom('PORT', 3000);
  const identityPort = portFrom('IDENTITY_PORT', port + 443);
  const wsPort = portFrom('WS_PORT', port + 1);
  const mqttPort = portFrom('MQTT_PORT', 8883);
  await assertFree('PORT', port);
  await assertFree('IDENTITY_PORT', identityPort);
  await assertFree('WS_PORT', wsPort);
  await assertFree('MQTT_PORT', mqttPort);

  // One folder for each, so that neither is synthesised again because of the other.
  const synthesised = join(root, 'cdk.out', ...(withoutFleet ? [] : [`fleet-${speed}-${rest}`]));
  const assemblyFolder = app === undefined ? synthesised : resolve(app);
  const [certificate] = await Promise.all([
    serverCertificate(folder),
    app === undefined ? synthesise(root, assemblyFolder, choices, stopped) : undefined,
  ]);
  const ports = { port, identityPort, wsPort, mqttPort };
  const options: StackOptions = {
    assemblyFolder,
    folder,
    memory,
    instances,
    quotas,
    faultsFile,
    ...ports,
    certificate,
  };
  const show = (facts: StackFacts) => console.log(banner(facts, memory ? undefined : folder));
  await releaseCompiler();
  // The stack removes its files itself unless it broke off.
  await run(options, stopped, show).finally(() => {
    removeStackFiles(folder);
    forgetProcesses(folder);
  });
}

/** Runs the stack in a process of its own; rejects when that fails or ends by itself. */
function run(options: StackOptions, stopped: AbortSignal, onReady: (facts: StackFacts) => void): Promise<void> {
  const stack = fork(join(__dirname, 'stack-process.ts'), {
    // Everything here is CommonJS, and without a loader for ES modules a process needs 30 MB less.
    execArgv: ['--require', 'tsx/cjs'],
    // Ctrl-C reaches this process alone, which then tells the other.
    detached: true,
    env: {
      ...process.env,
      // Read once, at the start of a process: why the stack has its own.
      NODE_EXTRA_CA_CERTS: options.certificate.caFile,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      // Every function is a thread, and by default each thread's allocator keeps memory to itself.
      MALLOC_ARENA_MAX: '2',
    },
  });
  let failure = 'The stack ended unexpectedly.';
  const stop = () => {
    if (stack.connected) stack.disconnect();
  };
  return new Promise((resolve, reject) => {
    stack.on('message', (message: StackMessage) => {
      if ('ready' in message) onReady(message.ready);
      else failure = message.failed;
    });
    stack.once('exit', (code) => (stopped.aborted && code === 0 ? resolve() : reject(new Error(failure))));
    try {
      noteProcesses(options.folder, { starter: process.pid, stack: stack.pid ?? 0 });
      stack.send(options);
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
      stop();
    }
    if (stopped.aborted) stop();
    stopped.addEventListener('abort', stop);
  });
}

const portFrom = (name: string, otherwise: number) => wholeNumber(name, process.env[name] ?? otherwise, 65_535);

function wholeNumber(name: string, value: string | number, atMost: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > atMost)
    throw new Error(`${name} must be from 1 to ${atMost}.`);
  return number;
}

function assertFree(name: string, port: number): Promise<void> {
  const server = createServer();
  return new Promise((free, reject) => {
    server.once('error', (cause) => {
      reject(new Error(`Port ${port} is taken. Stop what listens there, or set ${name}.`, { cause }));
    });
    server.listen(port, '127.0.0.1', () => server.close(() => free()));
  });
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

main(stopping.signal).catch((error: unknown) => {
  if (stopping.signal.aborted) return;
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
