/**
 * Lambda authorizers: API Gateway developer guide, "Use API Gateway Lambda authorizers", "Input to an API Gateway
 * Lambda authorizer" and "Output from an API Gateway Lambda authorizer".
 */
import * as z from 'zod';
import { FunctionError } from '../lambda';
import { evaluate, parsePolicy, type PolicyDocument } from '../iam/policy';
import type { Call } from './integrations/call';
import { GatewayError } from './gateway-responses';
import { functionArnOf, type Functions } from './integrations/functions';
import { compileMapping, type Mapping } from './integrations/mapping';

/** Extension `x-amazon-apigateway-authorizer` of a security scheme. */
export const authorizerExtension = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('token'),
    authorizerUri: z.string(),
    authorizerResultTtlInSeconds: z.number().min(0).max(3600).default(300),
    identityValidationExpression: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('request'),
    authorizerUri: z.string(),
    authorizerResultTtlInSeconds: z.number().min(0).max(3600).default(300),
    identitySource: z.string().default(''),
  }),
]);

export interface AuthorizerDefinition {
  readonly name: string;
  readonly type: 'token' | 'request';
  readonly authorizerUri: string;
  readonly authorizerResultTtlInSeconds: number;
  /** Mapping expressions, separated by commas. */
  readonly identitySource: string;
  readonly identityValidationExpression?: string | undefined;
}

export interface Authorizer {
  /** Fills in `context.authorizer` if the call is allowed. @throws GatewayError if it is not */
  authorize(call: Call, methodArn: string): Promise<void>;
  /** Forgets all results, so that the next call of each caller invokes the function. */
  flush(): void;
}

interface AuthorizerResult {
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

/** Maximum number of cached results; the oldest is evicted, so that many tokens can't exhaust memory. */
const MAX_CACHED_RESULTS = 10_000;

/**
 * Compiles an authorizer.
 * @param sourceArn source ARN that its AWS::Lambda::Permission must allow
 * @throws Error for an unsupported identity source
 */
export function createAuthorizer(
  definition: AuthorizerDefinition,
  sourceArn: string,
  functions: Functions,
): Authorizer {
  const { name, type, authorizerUri, identitySource, identityValidationExpression } = definition;
  const functionArn = functionArnOf(authorizerUri);
  const ttlMs = definition.authorizerResultTtlInSeconds * 1000;
  const sources = identitySources(identitySource, name);
  const valid = identityValidationExpression === undefined ? undefined : new RegExp(identityValidationExpression);
  const cache = new Map<string, { result: AuthorizerResult; cachedAt: number }>();

  async function invokeAuthorizer(
    call: Call,
    methodArn: string,
    identity: readonly string[],
  ): Promise<AuthorizerResult> {
    const event =
      type === 'token' ? { type: 'TOKEN', methodArn, authorizationToken: identity[0] } : requestEvent(call, methodArn);
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
        `Authorizer ${name} returned an invalid answer: ${error instanceof Error ? error.message : String(error)}`,
      );
      throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR');
    }
  }

  async function cachedResult(call: Call, methodArn: string, identity: readonly string[]): Promise<AuthorizerResult> {
    if (ttlMs === 0 || identity.length === 0) return invokeAuthorizer(call, methodArn, identity);
    const key = JSON.stringify(identity);
    const cached = cache.get(key);
    // A negative age means that the clock was set back: the entry is not used.
    const age = cached ? Date.now() - cached.cachedAt : Infinity;
    if (cached && age >= 0 && age < ttlMs) return cached.result;
    const result = await invokeAuthorizer(call, methodArn, identity);
    cache.delete(key);
    cache.set(key, { result, cachedAt: Date.now() });
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED_RESULTS && oldest !== undefined) cache.delete(oldest);
    return result;
  }

  async function authorize(call: Call, methodArn: string): Promise<void> {
    const identity = sources.map((source) => source(call) ?? '');
    if (identity.includes('')) throw new GatewayError('UNAUTHORIZED');
    if (valid && !valid.test(identity[0] ?? '')) throw new GatewayError('UNAUTHORIZED');
    const started = performance.now();
    const { policy, context } = await cachedResult(call, methodArn, identity);
    call.context.authorizer = { ...context, integrationLatency: Math.round(performance.now() - started) };
    const decision = evaluate([policy], { action: 'execute-api:Invoke', resource: methodArn });
    if (decision === 'allow') return;
    const explicitly = decision === 'deny' ? { message: EXPLICIT_DENY } : {};
    throw new GatewayError('ACCESS_DENIED', explicitly);
  }

  return { authorize, flush: () => cache.clear() };
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
