/** AWS Secrets Manager, as far as CloudFormation uses it: generated secrets, new ones at each start. */
import { customAlphabet } from 'nanoid';
import * as z from 'zod';
import { physicalId } from '../cloudformation/physical-id';
import { propertiesOf } from '../cloudformation/properties';
import type { Service } from '../service';

/** Template reference, AWS::SecretsManager::Secret GenerateSecretString; other exclusions are not supported. */
const properties = z.object({
  GenerateSecretString: z.strictObject({
    PasswordLength: z.number().int().min(1).max(4096).default(32),
    ExcludePunctuation: z.literal(true, { error: 'secrets with punctuation are not supported' }),
  }),
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export interface SecretsManager extends Service {
  secretOf(arn: string): string | undefined;
}

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
