/**
 * Operations of the API Gateway control plane on API keys and the authorizers' cache: Amazon API Gateway REST API
 * reference (REST and JSON).
 */
import * as z from 'zod';
import type { AwsAnswer, AwsApi, AwsCall } from '../service';
import type { ApiKey, ApiKeys, UsagePlans } from './usage-plans';

const newKey = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  enabled: z.boolean().default(false),
  value: z.string().min(20).max(128).optional(),
});

const patch = z.object({
  patchOperations: z.array(
    z.discriminatedUnion('path', [
      z.object({ op: z.literal('replace'), path: z.literal('/enabled'), value: z.enum(['true', 'false']) }),
      z.object({ op: z.literal('replace'), path: z.literal('/name'), value: z.string() }),
      z.object({ op: z.literal('replace'), path: z.literal('/description'), value: z.string() }),
    ]),
  ),
});

const newPlanKey = z.object({ keyId: z.string(), keyType: z.literal('API_KEY') });

type Operation = (call: { params: readonly string[]; query: URLSearchParams; body: unknown }) => AwsAnswer;

interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly operation: Operation;
}

/** The stage that is served, as far as it is managed. */
export interface ManagedStage {
  readonly region: string;
  isServed(restApiId: string, stageName: string): boolean;
  /** Forgets what its authorizers have decided. */
  flushAuthorizers(): void;
}

/** Manages the keys and plans that the gateway itself uses, and its authorizers' cache. */
export function createManagement(keys: ApiKeys, plans: UsagePlans, stage: ManagedStage): AwsApi {
  const key = (id = ''): ApiKey => {
    const found = keys.get(id);
    if (!found) throw failure(404, 'NotFoundException', 'Invalid API Key identifier specified');
    return found;
  };
  const plan = (id = ''): string => {
    if (!plans.has(id)) throw failure(404, 'NotFoundException', 'Invalid Usage Plan ID specified');
    return id;
  };

  const routes: readonly Route[] = [
    {
      method: 'POST',
      path: /^\/apikeys$/,
      operation: ({ body }) => {
        const input = newKey.parse(body);
        const { value } = input;
        if (value !== undefined && keys.withValue(value))
          throw failure(409, 'ConflictException', 'API Key already exists');
        return json(201, describe(keys.put(input), true));
      },
    },
    {
      method: 'GET',
      path: /^\/apikeys$/,
      operation: ({ query }) => {
        const found = keys.list().filter(({ name }) => name.startsWith(query.get('name') ?? ''));
        return json(200, { item: found.map((one) => describe(one, query.get('includeValues') === 'true')) });
      },
    },
    {
      method: 'GET',
      path: /^\/apikeys\/([^/]+)$/,
      operation: ({ params: [id], query }) => json(200, describe(key(id), query.get('includeValue') === 'true')),
    },
    {
      method: 'PATCH',
      path: /^\/apikeys\/([^/]+)$/,
      operation: ({ params: [id], body }) => {
        const { id: known } = key(id);
        const changes = new Map(patch.parse(body).patchOperations.map(({ path, value }) => [path, value]));
        const enabled = changes.get('/enabled');
        const changed = keys.put(
          {
            name: changes.get('/name'),
            description: changes.get('/description'),
            enabled: enabled === undefined ? undefined : enabled === 'true',
          },
          known,
        );
        return json(200, describe(changed, false));
      },
    },
    {
      method: 'DELETE',
      path: /^\/apikeys\/([^/]+)$/,
      operation: ({ params: [id] }) => {
        keys.delete(key(id).id);
        return json(202);
      },
    },
    {
      method: 'POST',
      path: /^\/usageplans\/([^/]+)\/keys$/,
      operation: ({ params: [planId], body }) => {
        const { id, name } = key(newPlanKey.parse(body).keyId);
        keys.attach(plan(planId), id);
        return json(201, { id, name, type: 'API_KEY' });
      },
    },
    {
      method: 'DELETE',
      path: /^\/usageplans\/([^/]+)\/keys\/([^/]+)$/,
      operation: ({ params: [planId, id = ''] }) => {
        if (!keys.detach(plan(planId), id)) throw failure(404, 'NotFoundException', 'Invalid Usage Plan Key specified');
        return json(202);
      },
    },
    // FlushStageAuthorizersCache. On AWS it takes effect after the answer, at a time that AWS does not promise.
    {
      method: 'DELETE',
      path: /^\/restapis\/([^/]+)\/stages\/([^/]+)\/cache\/authorizers$/,
      operation: ({ params: [restApiId = '', stageName = ''] }) => {
        if (!stage.isServed(restApiId, stageName))
          throw failure(404, 'NotFoundException', 'Invalid stage identifier specified');
        stage.flushAuthorizers();
        return json(202);
      },
    },
  ];

  return {
    signingName: 'apigateway',
    permissions: ({ method, path }) => [
      {
        action: `apigateway:${method}`,
        resource: `arn:aws:apigateway:${stage.region}::${decodeURIComponent(urlOf(path).pathname)}`,
      },
    ],
    answer: (call) => Promise.resolve(dispatch(call)),
  };

  function dispatch({ method, path, body }: AwsCall): AwsAnswer {
    const { pathname, searchParams } = urlOf(path);
    for (const route of routes) {
      const match = route.method === method ? route.path.exec(pathname) : null;
      if (!match) continue;
      try {
        const params = match.slice(1).map(decodeURIComponent);
        const content: unknown = body.length > 0 ? JSON.parse(body.toString('utf8')) : {};
        return route.operation({ params, query: searchParams, body: content });
      } catch (error) {
        if (error instanceof ApiFailure) return error.answer;
        if (error instanceof z.ZodError) return failure(400, 'BadRequestException', z.prettifyError(error)).answer;
        throw error;
      }
    }
    return failure(501, 'NotImplemented', `${method} ${pathname} is not supported on this machine`).answer;
  }
}

class ApiFailure extends Error {
  constructor(readonly answer: AwsAnswer) {
    super();
  }
}

function failure(status: number, code: string, message: string): ApiFailure {
  return new ApiFailure({ ...json(status, { message }), headers: { ...JSON_TYPE, 'x-amzn-ErrorType': code } });
}

const JSON_TYPE = { 'content-type': 'application/json' };

function json(status: number, body?: unknown): AwsAnswer {
  return { status, headers: JSON_TYPE, body: body === undefined ? '' : JSON.stringify(body) };
}

function describe({ value, ...rest }: ApiKey, withValue: boolean) {
  return { ...rest, ...(withValue && { value }), stageKeys: [] };
}

function urlOf(path: string): URL {
  return new URL(path, 'http://localhost');
}
