/** Operations that manage app clients: Cognito user pools API reference (JSON 1.1). */
import * as z from 'zod';
import type { AwsAnswer, AwsApi, AwsCall } from '../service';
import { clientSettings, CognitoError, type AppClient, type AppClients, type ClientSecret } from './app-clients';

const ofPool = z.object({ UserPoolId: z.string() });
const ofClient = ofPool.extend({ ClientId: z.string() });
const newClient = ofPool.extend({ GenerateSecret: z.boolean().default(false), ...clientSettings.shape });
const changedClient = ofClient.extend(clientSettings.shape);
/** Cognito accepts custom secrets of 24 to 64 characters. */
const newSecret = ofClient.extend({ ClientSecret: z.string().min(24).max(64).optional() });
const oldSecret = ofClient.extend({ ClientSecretId: z.string() });

const TARGET = 'AWSCognitoIdentityProviderService.';

/** @param poolArn ARN of a pool; throws CognitoError for an unknown one */
export function createManagement(clients: AppClients, poolArn: (poolId: string) => string): AwsApi {
  const operations: Readonly<Record<string, (input: unknown) => object>> = {
    CreateUserPoolClient: (input) => {
      const { UserPoolId, GenerateSecret, ...settings } = newClient.parse(input);
      poolArn(UserPoolId);
      return { UserPoolClient: shown(clients.put(UserPoolId, settings, { generateSecret: GenerateSecret })) };
    },
    DescribeUserPoolClient: (input) => {
      const { UserPoolId, ClientId } = ofClient.parse(input);
      return { UserPoolClient: shown(clients.get(UserPoolId, ClientId)) };
    },
    UpdateUserPoolClient: (input) => {
      const { UserPoolId, ClientId, ...settings } = changedClient.parse(input);
      return { UserPoolClient: shown(clients.update(UserPoolId, ClientId, settings)) };
    },
    DeleteUserPoolClient: (input) => {
      const { UserPoolId, ClientId } = ofClient.parse(input);
      clients.delete(UserPoolId, ClientId);
      return {};
    },
    ListUserPoolClients: (input) => {
      const { UserPoolId } = ofPool.parse(input);
      poolArn(UserPoolId);
      const list = clients
        .list(UserPoolId)
        .map(({ id, settings }) => ({ ClientId: id, UserPoolId, ClientName: settings.ClientName }));
      return { UserPoolClients: list };
    },
    AddUserPoolClientSecret: (input) => {
      const { UserPoolId, ClientId, ClientSecret } = newSecret.parse(input);
      const secret = clients.addSecret(UserPoolId, ClientId, ClientSecret);
      return { ClientSecretDescriptor: { ...descriptor(secret), ClientSecretValue: secret.value } };
    },
    ListUserPoolClientSecrets: (input) => {
      const { UserPoolId, ClientId } = ofClient.parse(input);
      return { ClientSecrets: clients.get(UserPoolId, ClientId).secrets.map(descriptor) };
    },
    DeleteUserPoolClientSecret: (input) => {
      const { UserPoolId, ClientId, ClientSecretId } = oldSecret.parse(input);
      clients.deleteSecret(UserPoolId, ClientId, ClientSecretId);
      return {};
    },
  };

  function answer(call: AwsCall): AwsAnswer {
    const operation = operations[operationOf(call)];
    if (!operation)
      return failure('UnknownOperationException', `${operationOf(call)} is not supported on this machine`);
    try {
      return json(200, operation(inputOf(call)));
    } catch (error) {
      if (error instanceof CognitoError) return failure(error.code, error.message);
      if (error instanceof z.ZodError) return failure('InvalidParameterException', z.prettifyError(error));
      throw error;
    }
  }

  return {
    signingName: 'cognito-idp',
    permissions: (call) => {
      const pool = ofPool.safeParse(inputOf(call));
      const resource = pool.success ? arnOrAny(pool.data.UserPoolId) : '*';
      return [{ action: `cognito-idp:${operationOf(call)}`, resource }];
    },
    answer: (call) => Promise.resolve(answer(call)),
  };

  /** `answer` refuses an unknown pool. */
  function arnOrAny(poolId: string): string {
    try {
      return poolArn(poolId);
    } catch {
      return '*';
    }
  }
}

function operationOf({ headers }: AwsCall): string {
  const target = headers['x-amz-target'];
  return typeof target === 'string' && target.startsWith(TARGET) ? target.slice(TARGET.length) : '';
}

function inputOf({ body }: AwsCall): unknown {
  return body.length > 0 ? JSON.parse(body.toString('utf8')) : {};
}

function json(status: number, body: object): AwsAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(body) };
}

function failure(code: string, message: string): AwsAnswer {
  return json(400, { __type: code, message });
}

function shown({ id, poolId, settings, secrets, createdAt, modifiedAt }: AppClient): object {
  return {
    ...settings,
    UserPoolId: poolId,
    ClientId: id,
    ClientSecret: secrets[0]?.value,
    CreationDate: createdAt,
    LastModifiedDate: modifiedAt,
  };
}

function descriptor({ id, createdAt }: ClientSecret) {
  return { ClientSecretId: id, ClientSecretCreateDate: createdAt };
}
