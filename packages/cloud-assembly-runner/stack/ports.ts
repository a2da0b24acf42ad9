import { createServer } from 'node:net';
import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-folder/atomic-file';
import { freePort, isFree } from '../free-port';

export interface Ports {
  /** Port of the REST API. */
  readonly port: number;
  /** Port of the user pools, TLS. */
  readonly identityPort: number;
  /** Port of CloudFront and the WebSocket API behind it. */
  readonly wsPort: number;
  /** Port of the MQTT broker, TLS. */
  readonly mqttPort: number;
  /** Port of the AWS APIs. Default: that of the last start, if it is free. */
  readonly awsPort?: number | undefined;
}

/** The environment variable that sets each port. */
const environmentVariables = {
  port: 'PORT',
  identityPort: 'IDENTITY_PORT',
  wsPort: 'WS_PORT',
  mqttPort: 'MQTT_PORT',
  awsPort: 'AWS_PORT',
} as const;

/** Ports from the environment, with defaults. @throws Error that names the variable with an invalid value */
export function portsFrom(environment: NodeJS.ProcessEnv): Ports {
  const portOf = (key: keyof Ports, otherwise: number) =>
    integerOption(environmentVariables[key], environment[environmentVariables[key]] ?? otherwise, 65_535);
  const port = portOf('port', 3000);
  return {
    port,
    identityPort: portOf('identityPort', port + 443),
    wsPort: portOf('wsPort', port + 1),
    mqttPort: portOf('mqttPort', 8883),
    ...(environment[environmentVariables.awsPort] !== undefined && { awsPort: portOf('awsPort', 0) }),
  };
}

/** @throws Error that names the first port in use and the variable that sets another */
export async function assertFree(ports: Ports): Promise<void> {
  for (const key of Object.keys(environmentVariables) as (keyof Ports)[]) {
    const port = ports[key];
    if (port !== undefined) await listenOnce(environmentVariables[key], port);
  }
}

function listenOnce(variable: string, port: number): Promise<void> {
  const server = createServer();
  return new Promise((free, reject) => {
    server.once('error', (cause) => {
      reject(new Error(`Port ${port} is in use. Stop the program that listens there, or set ${variable}.`, { cause }));
    });
    server.listen(port, '127.0.0.1', () => server.close(() => free()));
  });
}

/** Parses an integer from 1 to `atMost`. @throws Error that names the option */
export function integerOption(name: string, value: string | number, atMost: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > atMost)
    throw new Error(`${name} must be from 1 to ${atMost}.`);
  return number;
}

/**
 * The port of the AWS APIs: that of the last start with this folder, so that addresses of queues stay as they are. One
 * that is taken by now is replaced for good.
 * @throws Error when the folder can't be written
 */
export async function keptPort(folder: string): Promise<number> {
  const file = openDataFile(join(folder, 'aws-port.json'), z.number().int().nullable(), null);
  const last = file.read();
  if (last !== null && (await isFree(last))) return last;
  const port = await freePort();
  file.write(port);
  return port;
}
