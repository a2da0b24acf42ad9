/**
 * Header mappings and body templates of mock integrations and gateway responses. They are compiled at start-up, so that
 * an unsupported expression stops the start by name instead of producing a wrong reply. API Gateway developer guide:
 * "Parameter mapping examples", "Gateway responses for REST APIs" (templates without VTL).
 */
import { headerOf, type Call } from './call';

/** Returns the value for a request, or undefined. */
export type Mapping = (call: Call) => string | undefined;

/** Returns the body for a request. */
export type Template = (call: Call) => string;

const CONTEXT_VARIABLES = new Set([
  'accountId',
  'apiId',
  'domainName',
  'domainPrefix',
  'error.message',
  'error.messageString',
  'error.responseType',
  'extendedRequestId',
  'httpMethod',
  'identity.apiKeyId',
  'identity.sourceIp',
  'identity.userAgent',
  'path',
  'protocol',
  'requestId',
  'requestTime',
  'requestTimeEpoch',
  'resourceId',
  'resourcePath',
  'stage',
]);

/**
 * Compiles the right side of a header mapping, such as `'static'` or `context.requestId`. @throws Error naming `place`
 */
export function compileMapping(expression: string, place: string): Mapping {
  if (/^'.*'$/s.test(expression)) {
    const value = expression.slice(1, -1);
    return () => value;
  }
  const mapping = compileReference(expression);
  if (!mapping) throw new Error(`${place}: the mapping ${expression} is not supported on this machine`);
  return mapping;
}

/** Compiles a template with `$context` and `$stageVariables`. @throws Error naming `place` for any VTL */
export function compileTemplate(template: string, place: string): Template {
  const parts = template.split(/(\$(?:context|stageVariables)(?:\.\w+)+)/).map((part, index): Template => {
    if (index % 2 === 0) {
      const unknown = /\$[!{]?[A-Za-z]\w*(?:\.\w+)*|#(?:#|\*|(?:set|if|else|elseif|end|foreach|macro|stop)\b)/.exec(
        part,
      );
      if (unknown) throw new Error(`${place}: ${unknown[0]} in a template is not supported on this machine`);
      return () => part;
    }
    const mapping = compileMapping(part.slice(1), place);
    return (call) => mapping(call) ?? '';
  });
  return (call) => parts.map((part) => part(call)).join('');
}

function compileReference(reference: string): Mapping | undefined {
  const [source, ...rest] = reference.split('.');
  const name = rest.join('.');
  if (source === 'context' && (CONTEXT_VARIABLES.has(name) || /^authorizer\.\w+$/.test(name))) {
    return ({ context }) => textAt(context, rest);
  }
  if (source === 'stageVariables' && rest.length === 1) return ({ stageVariables }) => stageVariables[name];
  const [, place, parameter] = /^method\.request\.(header|querystring|path)\.([\w.-]+)$/.exec(reference) ?? [];
  if (place === undefined || parameter === undefined) return undefined;
  if (place === 'header') return ({ request }) => headerOf(request, parameter);
  if (place === 'querystring') return ({ request }) => request.query.single[parameter];
  return ({ pathParameters }) => pathParameters[parameter];
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  const found = path.reduce<unknown>(
    (inside, name) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[name] : undefined,
    value,
  );
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}
