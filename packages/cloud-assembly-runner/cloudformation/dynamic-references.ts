/**
 * Dynamic references in properties (CloudFormation user guide, "Get a secret or secret value from Secrets Manager"):
 * `{{resolve:secretsmanager:<id>:SecretString:<JSON key>:<stage>:<version>}}`.
 */
const reference = /\{\{resolve:([a-z-]+):([^{}]*)\}\}/g;
const wholeSecret = /^(.+):SecretString(?::{0,3})$/;

/**
 * Replaces each dynamic reference in the strings of `value` by the secret it names.
 * @param secretOf secret by id or ARN, undefined if there is none
 * @throws Error for an unknown secret, and for unsupported references: other services, JSON keys and versions of a
 *   secret
 */
export function resolveDynamicReferences(value: unknown, secretOf: (id: string) => string | undefined): unknown {
  if (typeof value === 'string') {
    return value.replace(reference, (text, service: string, path: string) => {
      const [, id] = (service === 'secretsmanager' && wholeSecret.exec(path)) || [];
      if (id === undefined) throw new Error(`${text} is not supported on this machine: only whole secrets are`);
      const secret = secretOf(id);
      if (secret === undefined) throw new Error(`Secrets Manager can't find the specified secret: ${id}`);
      return secret;
    });
  }
  if (Array.isArray(value)) return value.map((one: unknown) => resolveDynamicReferences(one, secretOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, resolveDynamicReferences(one as unknown, secretOf)]),
  );
}
