import { resolveDynamicReferences } from '../../cloudformation/dynamic-references';
import { createSecretsManager } from '../../secrets-manager';

const manager = createSecretsManager({ region: 'eu-central-1', accountId: '000000000000' });
const secret = (logicalId: string, properties: object) =>
  manager.create({ logicalId, type: 'AWS::SecretsManager::Secret', properties: { ...properties }, metadata: {} });
const generated = { GenerateSecretString: { PasswordLength: 48, ExcludePunctuation: true } };
const known = (arn: string) => manager.secretOf(arn);

test('a secret is generated for each resource and found by its ARN', async () => {
  const [one, other] = [await secret('One', generated), await secret('Other', generated)];
  expect(one.ref).toMatch(/^arn:aws:secretsmanager:eu-central-1:000000000000:secret:One-\w{12}-\w{6}$/);
  expect(known(one.ref)).toMatch(/^[A-Za-z0-9]{48}$/);
  expect(known(other.ref)).toMatch(/^[A-Za-z0-9]{48}$/);
  expect(known(one.ref)).not.toBe(known(other.ref));
});

test.each([
  ['with a given value', { SecretString: 'known to all' }],
  ['with punctuation', { GenerateSecretString: { PasswordLength: 48 } }],
])('a secret %s is refused as unsupported', (_, properties) => {
  expect(() => secret('Odd', properties)).toThrow('AWS::SecretsManager::Secret Odd is not supported on this machine');
});

describe('A dynamic reference', () => {
  test('is replaced by the secret anywhere in a value, also inside a string', async () => {
    const { ref } = await secret('Third', generated);
    const reference = `{{resolve:secretsmanager:${ref}:SecretString:::}}`;
    const value = { list: [{ text: `before ${reference} after` }, reference, 1, null], other: '{{mustache}}' };
    const found = known(ref) ?? '?';
    expect(resolveDynamicReferences(value, known)).toEqual({
      list: [{ text: `before ${found} after` }, found, 1, null],
      other: '{{mustache}}',
    });
  });

  test('to an unknown secret fails as in an account', () => {
    expect(() => resolveDynamicReferences('{{resolve:secretsmanager:none:SecretString:::}}', known)).toThrow(
      "Secrets Manager can't find the specified secret: none",
    );
  });

  test.each(['secretsmanager:one:SecretString:key::', 'secretsmanager:one', 'ssm:/name:1'])(
    'to %s is refused as unsupported',
    (path) =>
      expect(() => resolveDynamicReferences(`{{resolve:${path}}}`, () => 'found')).toThrow(
        'is not supported on this machine',
      ),
  );
});
