/** AWS IoT Core policies: developer guide, "AWS IoT Core policies" and "Basic AWS IoT Core policy variables". */
import { evaluate, type AccessRequest, type PolicyDocument } from '../../iam/policy';

/** Whether a client's policies allow an action, such as `iot:Subscribe`, on a resource ARN. */
export type Permits = (action: string, resource: string, context?: AccessRequest['context']) => boolean;

/**
 * In names and in values of variables `*` and `?` are plain characters. During evaluation lone surrogates replace them,
 * which no decoded UTF-8 text contains.
 */
const LITERALS: Readonly<Record<string, string>> = { '*': '\uD800', '?': '\uD801' };

/**
 * Compiles a client's policies. `*` and `?` are wildcards in a policy, MQTT's `+` and `#` are plain characters, and
 * `${iot:ClientId}` is replaced by the client id, literally. When a condition is not supported, the request is denied and
 * `onError` receives the error.
 * @throws Error for any other policy variable
 */
export function createPermits(
  documents: readonly PolicyDocument[],
  clientId: string,
  onError: (error: unknown) => void,
): Permits {
  const own = documents.map(({ Statement, ...rest }) => ({
    ...rest,
    Statement: Statement.map((one) => ({
      ...one,
      Resource: one.Resource?.map((pattern) => substitute(pattern, clientId)),
      NotResource: one.NotResource?.map((pattern) => substitute(pattern, clientId)),
    })),
  }));
  return (action, resource, context = {}) => {
    try {
      return evaluate(own, { action, resource: escapeWildcards(resource), context }) === 'allow';
    } catch (error) {
      onError(error);
      return false;
    }
  };
}

function escapeWildcards(text: string): string {
  return text.replace(/[*?]/g, (character) => LITERALS[character] ?? character);
}

function substitute(pattern: string, clientId: string): string {
  return pattern.replace(/\$\{([^}]*)\}/g, (whole, name: string) => {
    if (name === 'iot:ClientId') return escapeWildcards(clientId);
    if (name === '*' || name === '?' || name === '$') return escapeWildcards(name);
    throw new Error(`The policy variable ${whole} is not supported on this machine`);
  });
}
