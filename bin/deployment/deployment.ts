import * as z from 'zod';
import { tableNames, tableOutput, tableVariable } from '../../domain/values/table-names';
import { Failure } from '../command-line/errors';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Addresses of a deployment. */
export interface Addresses {
  /** Of the REST API, without a slash at the end. */
  readonly baseUrl: string;
  readonly tokenUrl: string;
  /** `wss://…`, base of the WebSocket channels' paths. */
  readonly wsUrl: string;
  /** `mqtts://<host>:<port>` */
  readonly mqttUrl: string;
  /** Base of share links. */
  readonly shareBaseUrl: string;
}

/** Which deployment a command line is for, by its flags. */
export interface Whereabouts {
  /** That of this machine. */
  readonly local?: boolean | undefined;
  /** Name of a CloudFormation stack. */
  readonly stack?: string | undefined;
}

/** What operators' commands need of a deployment, from its stack's outputs. */
export interface Deployment {
  readonly addresses: Addresses;
  /** Prefix of every scope in Cognito. */
  readonly resourceServer: string;
  readonly userPoolId: string;
  readonly usagePlanId: string;
  readonly restApiId: string;
  /** Of the REST API. */
  readonly stageName: string;
  /** PEM file of the certificate authority that MQTT clients need; local stacks only. */
  readonly caFile?: string;
}

type TableOutputs = Record<ReturnType<typeof tableOutput>, z.ZodString>;

const outputs = z.object({
  BaseUrl: z.string(),
  ResourceServer: z.string(),
  UserPoolId: z.string(),
  UsagePlanId: z.string(),
  ...(Object.fromEntries(tableNames.map((name) => [tableOutput(name), z.string()])) as TableOutputs),
  RestApiId: z.string(),
  RestApiStage: z.string(),
  SocketsUrl: z.string(),
  WebSocketUrl: z.string(),
  MqttUrl: z.string(),
  ShareBaseUrl: z.string(),
  PlatformBusArn: z.string(),
});

/**
 * Finds the deployment that the flags name and configures this process for it: `AWS_*` for the local stack, and the
 * tables, the bus and the sockets' endpoint that `data/` uses.
 * @throws Failure when there is none
 */
export async function findDeployment({ local, stack }: Whereabouts): Promise<Deployment> {
  const here = local ? await useLocalStack() : undefined;
  const stackName = stack ?? here?.stackName ?? process.env['STACK_NAME'] ?? 'DroneMissionApi';
  const read = await readOutputs(stackName);
  for (const name of tableNames) process.env[tableVariable(name)] = read[tableOutput(name)];
  Object.assign(process.env, { PLATFORM_BUS: read.PlatformBusArn, SOCKETS_URL: read.SocketsUrl });
  return {
    addresses: {
      baseUrl: read.BaseUrl,
      tokenUrl: `${read.BaseUrl}/v3/auth/token`,
      wsUrl: read.WebSocketUrl,
      mqttUrl: read.MqttUrl,
      shareBaseUrl: read.ShareBaseUrl,
    },
    resourceServer: read.ResourceServer,
    userPoolId: read.UserPoolId,
    usagePlanId: read.UsagePlanId,
    restApiId: read.RestApiId,
    stageName: read.RestApiStage,
    ...(here?.caFile !== undefined && { caFile: here.caFile }),
  };
}

async function readOutputs(stackName: string) {
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const cloudFormation = new CloudFormationClient();
  const region = await cloudFormation.config.region();
  const { Stacks } = await cloudFormation
    .send(new DescribeStacksCommand({ StackName: stackName }))
    .catch((error: unknown) => {
      throw isMissingStack(error) ? new Failure(missingStack(stackName, region)) : error;
    });
  const found = (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]);
  const read = outputs.safeParse(Object.fromEntries(found));
  if (read.success) return read.data;
  const missing = read.error.issues.map(({ path }) => path.join('.'));
  throw new Failure(`stack ${stackName} has no output ${missing.join(', ')}: is it this service, and this version?`);
}

const isMissingStack = (error: unknown) =>
  error instanceof Error && error.name === 'ValidationError' && error.message.endsWith('does not exist');

const missingStack = (name: string, region: string) =>
  `there is no stack ${name} in ${region}: give its name with --stack and its region in AWS_REGION, or --local for the stack on this machine`;

/** Written by the local stack: the endpoint and credentials of its AWS APIs. */
const localAws = z.object({
  endpointUrl: z.url(),
  region: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  stackName: z.string(),
});

const localFacts = z.object({ caFile: z.string() });

/** The stack that runs on this machine. */
interface LocalStack {
  readonly stackName: string;
  /** PEM file of the certificate authority that its MQTT endpoint needs; undefined until the stack is ready. */
  readonly caFile: string | undefined;
}

/**
 * Configures this process for the stack that runs on this machine (`AWS_*`).
 * @throws Failure when none runs
 */
export async function useLocalStack(): Promise<LocalStack> {
  const folder = process.env['LOCAL_DIR'] ?? '.local';
  const file = join(folder, 'aws.json');
  const found = await readJson(file, localAws);
  if (!found) throw new Failure(`no local stack is running (${file} does not exist): start it with \`npm start\``);
  const { endpointUrl, region, accessKeyId, secretAccessKey, stackName } = found;
  // A profile or session token would take precedence over these keys.
  delete process.env['AWS_PROFILE'];
  delete process.env['AWS_SESSION_TOKEN'];
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  return { stackName, caFile: (await readJson(join(folder, 'stack.json'), localFacts))?.caFile };
}

/** The content of a file that `npm start` writes; undefined when it does not exist. */
async function readJson<T>(file: string, shape: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    // The cause is not repeated: the files hold secrets.
    throw new Failure(`${file} is not what \`npm start\` writes: stop the stack and start it again`);
  }
}
