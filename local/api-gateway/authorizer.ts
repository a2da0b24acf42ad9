/**
 * Lambda authorizers: API Gateway developer guide, "Use API Gateway Lambda authorizers", "Input to an API Gateway
 * Lambda authorizer" and "Output from an API Gateway Lambda authorizer".
 */
import * as z from 'zod';
import { FunctionError } from '../lambda';
import { evaluate, parsePolicy, type PolicyDocument } from '../policy';
import type { Call } from './call';
import { GatewayError } from './gateway-responses';
import { functionArnOf, type Functions } from './functions';
import { compileMapping, type Mapping } from './mapping';

export const authorizerProperties = z.object({
  RestApiId: z.string(),
  Name: z.string(),
  Type: z.enum(['TOKEN', 'REQUEST']),
  AuthorizerUri: z.string(),
  AuthorizerResultTtlInSeconds: z.number().min(0).max(3600).default(300),
  IdentitySource: z.string().default(''),
  IdentityValidationExpression: z.string().optional(),
});

/** Lets a call through, with `context.authorizer` filled in, or throws the GatewayError that refuses it. */
export type Authorizer = (call: Call, methodArn: string) => Promise<void>;

interface Verdict {
  readonly policy: PolicyDocument;
  readonly context: Readonly<Record<string, string>>;
}

const output = z.object({
  principalId: z.string(),
  policyDocument: z.unknown(),
  context: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .nullish()
    .transform((values) =>
      Object.fromEntries(
        Object.entries(values ?? {}).flatMap(([name, one]) => (one === null ? [] : [[name, String(one)]])),
      ),
    ),
});

/** So many results are kept at most; then the oldest goes, so that a flood of tokens does not fill the memory. */
const CACHE_SIZE = 10_000;

/** Compiles an authorizer; throws for an identity source that isn't understood. `sourceArn` is what its permission names. */
export function createAuthorizer(
  properties: z.infer<typeof authorizerProperties>,
  sourceArn: string,
  functions: Functions,
): Authorizer {
  const { Name, Type, AuthorizerUri, IdentitySource, IdentityValidationExpression } = properties;
  const functionArn = functionArnOf(AuthorizerUri);
  const ttlMs = properties.AuthorizerResultTtlInSeconds * 1000;
  const sources = identitySources(IdentitySource, Name);
  if (Type === 'TOKEN' && sources.length !== 1) throw new Error(`Authorizer ${Name}: a token has one identity source`);
  const valid = IdentityValidationExpression === undefined ? undefined : new RegExp(IdentityValidationExpression);
  const cache = new Map<string, { verdict: Verdict; since: number }>();

  async function ask(call: Call, methodArn: string, identity: readonly string[]): Promise<Verdict> {
    const event =
      Type === 'TOKEN' ? { type: Type, methodArn, authorizationToken: identity[0] } : requestEvent(call, methodArn);
    const result = await functions.invoke(functionArn, sourceArn, event).catch((error: unknown) => {
      if (error instanceof FunctionError && error.message === 'Unauthorized') throw new GatewayError('UNAUTHORIZED');
      if (error instanceof GatewayError) throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR');
      throw new GatewayError('AUTHORIZER_FAILURE');
    });
    try {
      const { principalId, policyDocument, context } = output.parse(result);
      return { policy: parsePolicy(policyDocument), context: { ...context, principalId } };
    } catch (error) {
      functions.log(
        `Authorizer ${Name} gave no valid answer: ${error instanceof Error ? error.message : String(error)}`,
      );
      throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR');
    }
  }

  async function verdictOn(call: Call, methodArn: string, identity: readonly string[]): Promise<Verdict> {
    if (ttlMs === 0 || identity.length === 0) return ask(call, methodArn, identity);
    const key = JSON.stringify(identity);
    const kept = cache.get(key);
    // Nor is one kept longer when the clock is set back: its age is negative then.
    const age = kept ? Date.now() - kept.since : Infinity;
    if (kept && age >= 0 && age < ttlMs) return kept.verdict;
    const verdict = await ask(call, methodArn, identity);
    cache.delete(key);
    cache.set(key, { verdict, since: Date.now() });
    const [oldest] = cache.keys();
    if (cache.size > CACHE_SIZE && oldest !== undefined) cache.delete(oldest);
    return verdict;
  }

  return async (call, methodArn) => {
    const identity = sources.map((source) => source(call) ?? '');
    if (identity.includes('')) throw new GatewayError('UNAUTHORIZED');
    if (Type === 'TOKEN' && valid && !valid.test(identity[0] ?? '')) throw new GatewayError('UNAUTHORIZED');
    const started = performance.now();
    const { policy, context } = await verdictOn(call, methodArn, identity);
    call.context.authorizer = { ...context, integrationLatency: Math.round(performance.now() - started) };
    const decision = evaluate([policy], { action: 'execute-api:Invoke', resource: methodArn });
    if (decision === 'allow') return;
    const explicitly = decision === 'deny' ? { message: EXPLICIT_DENY } : {};
    throw new GatewayError('ACCESS_DENIED', explicitly);
  };
}

const EXPLICIT_DENY = 'User is not authorized to access this resource with an explicit deny';

function identitySources(expression: string, name: string): Mapping[] {
  const sources = expression.split(',').map((source) => source.trim());
  return sources.filter((source) => source !== '').map((source) => compileMapping(source, `Authorizer ${name}`));
}

function requestEvent({ request, context, pathParameters, stageVariables }: Call, methodArn: string) {
  return {
    type: 'REQUEST',
    methodArn,
    resource: context.resourcePath,
    path: request.path,
    httpMethod: request.method,
    headers: request.headers.single,
    multiValueHeaders: request.headers.multi,
    queryStringParameters: request.query.single,
    multiValueQueryStringParameters: request.query.multi,
    pathParameters,
    stageVariables,
    requestContext: context,
  };
}
