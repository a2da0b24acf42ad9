import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { run, type ReadyStack } from 'cloud-assembly-runner';
import { freePort } from 'cloud-assembly-runner/free-port';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdapterProcess } from './adapter-process';
import { Bus, type Access } from './bus';
import type { Device } from './job-book';
import { judge, untested } from './judge';
import { play } from './play';
import type { Breach, RuleName } from './rules';

export interface ConformOptions {
  /** Shell command of the adapter under test; undefined for the simulated fleet. */
  readonly adapter: string | undefined;
  /** Cloud assembly of the platform's bus, which may be written into a folder. */
  readonly assembly: (folder: string) => string;
  /** How long a job may take to begin, and all of them to end, in seconds. */
  readonly patience: number;
  /** File to which the adapter's output is appended. */
  readonly log: string;
}

export interface Verdict {
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
export async function conform(options: ConformOptions, stopped: AbortSignal): Promise<Verdict> {
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
