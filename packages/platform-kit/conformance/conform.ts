import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { run, untilSignal, type ReadyStack } from 'cloud-assembly-runner';
import { freePort } from 'cloud-assembly-runner/free-port';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Bus, type Access, type Device } from './bus';
import { judge, rules, untested, type Breach, type RuleName } from './judge';
import { play } from './play';

interface ConformOptions {
  /** Shell command of the adapter under test; undefined for the simulated fleet. */
  readonly adapter: string | undefined;
  /** Cloud assembly of the platform's bus, which may be written into a folder. */
  readonly assembly: (folder: string) => string;
  /** How long a job may take to begin, and all of them to end, in seconds. */
  readonly patience: number;
  /** File to which the adapter's output is appended. */
  readonly log: string;
}

interface Verdict {
  readonly breaches: readonly Breach[];
  readonly untested: readonly RuleName[];
}

const TAG = 'conf0rm1';

/** Registers two devices with the simulated fleet, which takes all that are in the table. */
async function seedFleet(TableName: string, access: Access): Promise<[Device, Device]> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(access));
  const deviceGroupId = `group-${TAG}-01conformance0000000000000`;
  const devices = ['1', '2'].map((n) => ({ deviceId: `device-${TAG}-01conformance000000000000${n}`, deviceGroupId }));
  for (const device of devices) {
    const Item = { ...device, fleetPartition: TAG, id: device.deviceId, kind: 'device' };
    await client.send(new PutCommand({ TableName, Item }));
  }
  client.destroy();
  return devices as [Device, Device];
}

/** Two devices that the platform has registered. @throws Error when it does not within the time */
async function registeredFleet(bus: Bus, { patience, log }: ConformOptions): Promise<[Device, Device]> {
  const found = () =>
    bus.heard.flatMap(({ type, detail: { deviceId, deviceGroupId } }) =>
      type === 'device.registered' ? [{ deviceId: String(deviceId), deviceGroupId: String(deviceGroupId) }] : [],
    );
  if (!(await bus.until(() => found().length >= 2, patience)))
    throw new Error(`The adapter has not registered two devices. It printed ${log}.`);
  const [one, other] = found();
  if (!one || !other) throw new Error('The adapter has not registered two devices.');
  return [one, other];
}

async function conformOn(stack: ReadyStack, options: ConformOptions, state: string): Promise<Verdict> {
  const { endpointUrl, region, accessKeyId, secretAccessKey } = stack.access;
  const access = { endpoint: endpointUrl, region, credentials: { accessKeyId, secretAccessKey } };
  const arn = String(stack.outputs['PlatformBusArn']);
  const bus = await Bus.open(arn, access);
  const { adapter: command, log, patience } = options;
  const variables = {
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_DEFAULT_REGION: region,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    PLATFORM_BUS_ARN: arn,
    ORGANISATION_ID: `org-${TAG}`,
    STATE_FOLDER: state,
  };
  const adapter = command === undefined ? undefined : new AdapterProcess(command, variables, log);
  adapter?.start();
  try {
    const fleet = adapter ? registeredFleet(bus, options) : seedFleet(String(stack.outputs['FleetTable']), access);
    const restart = adapter && (() => adapter.kill().then(() => adapter.start()));
    const transcript = await play({ bus, tag: TAG, devices: await fleet, restart, patience });
    return { breaches: judge(transcript), untested: untested(transcript) };
  } finally {
    await adapter?.kill();
    bus.close();
  }
}

/** Starts the bus on this machine, plays the service to an adapter, and judges it. */
async function conform(options: ConformOptions, stopped: AbortSignal): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-conformance-'));
  const ending = new AbortController();
  stopped.addEventListener('abort', () => ending.abort());
  let verdict: Verdict | undefined;
  try {
    await run(
      {
        folder: join(folder, 'stack'),
        memory: true,
        instances: 10,
        ports: {
          port: await freePort(),
          identityPort: await freePort(),
          wsPort: await freePort(),
          mqttPort: await freePort(),
        },
        assembly: options.assembly(join(folder, 'cdk.out')),
        async prepare(stack) {
          verdict = await conformOn(stack, options, folder);
          return {};
        },
        ready: () => ending.abort(),
      },
      ending.signal,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (!verdict) throw new Error('The run was stopped.');
  return verdict;
}

/** The adapter under test, started by a shell command. */
class AdapterProcess {
  private child: ChildProcess | undefined;

  constructor(
    private readonly command: string,
    private readonly variables: NodeJS.ProcessEnv,
    private readonly log: string,
  ) {}

  start(): void {
    const output = openSync(this.log, 'a');
    // A group of its own, so that what the shell has started is killed with it.
    const child = spawn('sh', ['-c', this.command], {
      detached: true,
      env: { ...process.env, ...this.variables },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    this.child = child;
  }

  /** Kills it, as a power cut would. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await ended;
  }
}

interface Surroundings {
  /** How people start it. */
  readonly usage: string;
  /** A shell's word for the Python that has the packages of the sample adapter. */
  readonly python: () => string | Promise<string>;
  /**
   * Cloud assembly of the platform's bus.
   * @param folder where it can be written
   * @param withFleet whether the simulated fleet is on it
   */
  readonly assembly: (folder: string, withFleet: boolean) => string;
}

const help = `
Plays the service to a drone platform's adapter over a bus on this machine, and says which rules of platform.md it keeps.

  --adapter COMMAND    starts the adapter under test; default: the sample adapter. It is killed and started again. Its
                       environment has PLATFORM_BUS_ARN, ORGANISATION_ID, AWS_ENDPOINT_URL, region and credentials, and
                       STATE_FOLDER, an empty folder. It registers two devices or more, whose flights take five to ten seconds.
  --simulated-fleet    tests the simulated fleet instead
  --patience SECONDS   how long a job may take to begin, and all of them to end; default: 60
`;

/** Beside the folder of this file, and beside that of its bundle. */
const adapter = join(__dirname, '../sample-adapter/adapter.py');
const sampleAdapter = (python: string) =>
  `PYTHONDONTWRITEBYTECODE=1 exec ${python} "${adapter}" --organisation "$ORGANISATION_ID" --state "$STATE_FOLDER/adapter.db" --speed 4`;

/** The command line of the conformance run. */
export function runCommandLine({ usage, python, assembly }: Surroundings): void {
  untilSignal(async (stopped) => {
    const { values } = parseArgs({
      options: {
        adapter: { type: 'string' },
        'simulated-fleet': { type: 'boolean', default: false },
        patience: { type: 'string', default: '60' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(`Usage: ${usage}\n${help}`);
      return;
    }
    const withFleet = values['simulated-fleet'];
    const log = join(tmpdir(), `platform-conformance-${process.pid}.log`);
    const { breaches, untested } = await conform(
      {
        adapter: withFleet ? undefined : (values.adapter ?? sampleAdapter(await python())),
        assembly: (folder) => assembly(folder, withFleet),
        patience: Number(values.patience),
        log,
      },
      stopped,
    );
    for (const rule of Object.keys(rules) as RuleName[]) {
      const broken = breaches.filter((breach) => breach.rule === rule);
      const mark = broken.length > 0 ? '✗' : untested.includes(rule) ? '-' : '✓';
      console.log(`${mark} ${rule.padEnd(14)}${rules[rule]}`);
      for (const { what } of broken) console.log(`    ${what}`);
    }
    if (untested.length > 0) console.log(`Not tested: ${untested.join(', ')}.`);
    const count = new Set(breaches.map(({ rule }) => rule)).size;
    console.log(count === 0 ? 'All rules were kept.' : `${count} rules were broken. The adapter printed ${log}.`);
    if (count > 0) process.exitCode = 1;
  });
}
