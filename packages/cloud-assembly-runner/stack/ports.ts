import { createServer } from 'node:net';
import { integerOption } from './integer-option';

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
