/**
 * Security schemes and requirements: API Gateway developer guide, "x-amazon-apigateway-authorizer",
 * "x-amazon-apigateway-authtype" and "Configure a method to use API keys with an OpenAPI definition".
 */
import type { AuthorizerDefinition } from '../authorizer';
import type { OpenApiDocument, Operation, SecurityScheme } from './document';

/** What a method requires of a call. */
export interface Guard {
  readonly apiKeyRequired: boolean;
  /** Name of the security scheme. */
  readonly authorizer: string | undefined;
}

type Schemes = OpenApiDocument['components']['securitySchemes'];

/** @throws Error naming a scheme that API Gateway would refuse */
export function createSecurity(schemes: Schemes) {
  const authorizers = new Map<string, AuthorizerDefinition>();
  const apiKeys = new Set<string>();
  for (const [name, scheme] of Object.entries(schemes)) {
    const authorizer = authorizerOf(name, scheme);
    if (authorizer) authorizers.set(name, authorizer);
    else apiKeys.add(name);
  }

  /** @throws Error for a scheme that is not declared, and for two authorizers */
  function guardOf({ security }: Operation): Guard {
    const names = security.flatMap((requirement) => Object.keys(requirement));
    const unknown = names.find((name) => !authorizers.has(name) && !apiKeys.has(name));
    if (unknown !== undefined) throw new Error(`the security scheme ${unknown} is not declared`);
    const [authorizer, second] = names.filter((name) => authorizers.has(name));
    if (second !== undefined) throw new Error(`a method has one authorizer, not ${authorizer} and ${second}`);
    return { apiKeyRequired: names.some((name) => apiKeys.has(name)), authorizer };
  }

  return { authorizers, guardOf };
}

/** The authorizer that a scheme describes; undefined if it is the API key. */
function authorizerOf(name: string, scheme: SecurityScheme): AuthorizerDefinition | undefined {
  const { 'x-amazon-apigateway-authtype': type, 'x-amazon-apigateway-authorizer': authorizer } = scheme;
  if (authorizer && type === undefined)
    throw new Error(`security scheme ${name}: an authorizer needs x-amazon-apigateway-authtype`);
  if (type !== undefined && !authorizer)
    throw new Error(`security scheme ${name}: x-amazon-apigateway-authorizer is required for the type ${type}`);
  if (authorizer) {
    const header = `method.request.header.${scheme.name}`;
    return { name, ...authorizer, identitySource: authorizer.type === 'token' ? header : authorizer.identitySource };
  }
  if (scheme.name !== 'x-api-key') throw new Error(`security scheme ${name}: the header of an API key is x-api-key`);
  return undefined;
}
