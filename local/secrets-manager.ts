/** AWS Secrets Manager on this machine, as far as CloudFormation uses it: secrets that it generates, anew at each start. */
import { customAlphabet } from 'nanoid';
import * as z from 'zod';
import { physicalId } from './physical-id';
import { propertiesOf } from './properties';
import type { Service } from './service';

/** Template reference, AWS::SecretsManager::Secret GenerateSecretString; what it excludes besides is not played. */
const properties = z.object({
  GenerateSecretString: z.strictObject({
    PasswordLength: z.number().int().min(1).max(4096).default(32),
    ExcludePunctuation: z.literal(true, { error: 'secrets with punctuation are not played' }),
  }),
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export interface SecretsManager extends Service {
  /** The secret with this ARN. */
  secretOf(arn: string): string | undefined;
}

/** Secrets Manager for the secrets of a template. */
export function createSecretsManager({
  region,
  accountId,
}: {
  readonly region: string;
  readonly accountId: string;
}): SecretsManager {
  const secrets = new Map<string, string>();
  return {
    types: ['AWS::SecretsManager::Secret'],
    create(resource) {
      const { GenerateSecretString: wanted } = propertiesOf(resource, properties);
      const name = `${resource.logicalId}-${physicalId(resource.logicalId, 12)}`;
      const arn = `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}-${physicalId(name, 6)}`;
      secrets.set(arn, customAlphabet(ALPHABET, wanted.PasswordLength)());
      return { ref: arn, attributes: { Id: arn } };
    },
    secretOf: (arn) => secrets.get(arn),
  };
}
