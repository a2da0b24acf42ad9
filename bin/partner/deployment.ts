import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { tableVariable } from '../../domain/table';
import { Failure, type Flags } from './command-line';

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

/** What onboarding needs of a deployment, from its stack's outputs. */
export interface Deployment {
  readonly addresses: Addresses;
  /** Prefix of every scope in Cognito. */
  readonly resourceServer: string;
  readonly userPoolId: string;
  readonly usagePlanId: string;
}

/** Written by the local stack: the endpoint and credentials of its AWS APIs. */
const localAws = z.object({
  endpointUrl: z.url(),
  region: z.string(),
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  stackName: z.string(),
});

const outputs = z.object({
  BaseUrl: z.string(),
  ResourceServer: z.string(),
  UserPoolId: z.string(),
  UsagePlanId: z.string(),
  PartnersTable: z.string(),
  FleetTable: z.string(),
  SharesTable: z.string(),
  WebSocketUrl: z.string(),
  MqttUrl: z.string(),
  ShareBaseUrl: z.string(),
});

/**
 * Finds the deployment that the flags name and configures this process for it: `AWS_*` for the local stack, and the
 * tables that `data/` uses.
 * @throws Failure when there is none
 */
export async function findDeployment({ local, stack }: Flags): Promise<Deployment> {
  const localName = local ? await useLocalStack() : undefined;
  const stackName = stack ?? localName ?? process.env['STACK_NAME'] ?? 'DroneMissionApi';
  const read = await readOutputs(stackName);
  Object.assign(process.env, {
    [tableVariable('partners')]: read.PartnersTable,
    [tableVariable('fleet')]: read.FleetTable,
    [tableVariable('shares')]: read.SharesTable,
  });
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
  };
}

/** @returns the name of the local stack */
async function useLocalStack(): Promise<string> {
  const file = join(process.env['LOCAL_DIR'] ?? '.local', 'aws.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure(`no local stack is running (${file} does not exist): start it with \`npm start\``);
  });
  const { endpointUrl, region, accessKeyId, secretAccessKey, stackName } = localAws.parse(JSON.parse(text));
  // A profile or session token would take precedence over these keys.
  delete process.env['AWS_PROFILE'];
  delete process.env['AWS_SESSION_TOKEN'];
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpointUrl,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  return stackName;
}

async function readOutputs(stackName: string) {
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const { Stacks } = await new CloudFormationClient().send(new DescribeStacksCommand({ StackName: stackName }));
  const found = (Stacks?.[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]);
  const read = outputs.safeParse(Object.fromEntries(found));
  if (read.success) return read.data;
  const missing = read.error.issues.map(({ path }) => path.join('.'));
  throw new Failure(`stack ${stackName} has no output ${missing.join(', ')}: is it this service, and this version?`);
}
