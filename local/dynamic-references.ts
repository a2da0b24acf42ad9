/**
 * Dynamic references in properties (CloudFormation user guide, "Get a secret or secret value from Secrets Manager"):
 * `{{resolve:secretsmanager:<id>:SecretString:<JSON key>:<stage>:<version>}}`.
 */
const reference = /\{\{resolve:([a-z-]+):([^{}]*)\}\}/g;
const wholeSecret = /^(.+):SecretString(?::{0,3})$/;

/**
 * Gives `value` with each dynamic reference in a text inside it replaced by the secret that it names.
 * @param secretOf the secret of an id or ARN, undefined when there is none
 * @throws Error for a secret that there is not, and for what is not played: other services, parts and versions of a secret
 */
export function withSecrets(value: unknown, secretOf: (id: string) => string | undefined): unknown {
  if (typeof value === 'string') {
    return value.replace(reference, (text, service: string, path: string) => {
      const [, id] = (service === 'secretsmanager' && wholeSecret.exec(path)) || [];
      if (id === undefined) throw new Error(`${text} is not played on this machine: only whole secrets are`);
      const secret = secretOf(id);
      if (secret === undefined) throw new Error(`Secrets Manager can't find the specified secret: ${id}`);
      return secret;
    });
  }
  if (Array.isArray(value)) return value.map((one: unknown) => withSecrets(one, secretOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withSecrets(one as unknown, secretOf)]));
}
