/** AWS IoT Core policies: developer guide, "AWS IoT Core policies" and "Basic AWS IoT Core policy variables". */
import { evaluate, type AccessRequest, type PolicyDocument } from '../policy';

/** Whether a client may do something to a resource, such as `iot:Subscribe` to a filter, named by its ARN. */
export type Permits = (action: string, resource: string, context?: AccessRequest['context']) => boolean;

/**
 * In names and in the values of variables `*` and `?` are plain characters. Lone surrogates stand for them while a
 * policy is evaluated, because no text that came in as UTF-8 holds one.
 */
const LITERALS: Readonly<Record<string, string>> = { '*': '\uD800', '?': '\uD801' };

/**
 * What the policies of a client allow. `*` and `?` are wildcards in a policy, MQTT's `+` and `#` are plain characters,
 * and `${iot:ClientId}` stands for the client id, character by character. Throws for any other policy variable. Where a
 * condition can't be evaluated here, nothing is allowed and `complain` gets the error.
 */
export function createPermits(
  documents: readonly PolicyDocument[],
  clientId: string,
  complain: (error: unknown) => void,
): Permits {
  const own = documents.map(({ Statement, ...rest }) => ({
    ...rest,
    Statement: Statement.map((one) => ({
      ...one,
      Resource: one.Resource?.map((pattern) => substituted(pattern, clientId)),
      NotResource: one.NotResource?.map((pattern) => substituted(pattern, clientId)),
    })),
  }));
  return (action, resource, context = {}) => {
    try {
      return evaluate(own, { action, resource: literal(resource), context }) === 'allow';
    } catch (error) {
      complain(error);
      return false;
    }
  };
}

function literal(text: string): string {
  return text.replace(/[*?]/g, (character) => LITERALS[character] ?? character);
}

function substituted(pattern: string, clientId: string): string {
  return pattern.replace(/\$\{([^}]*)\}/g, (whole, name: string) => {
    if (name === 'iot:ClientId') return literal(clientId);
    if (name === '*' || name === '?' || name === '$') return literal(name);
    throw new Error(`The policy variable ${whole} is not known on this machine`);
  });
}
