import { withSecrets } from '../../local/dynamic-references';
import { createSecretsManager } from '../../local/secrets-manager';

const manager = createSecretsManager({ region: 'eu-central-1', accountId: '000000000000' });
const secret = (logicalId: string, properties: object) =>
  manager.create({ logicalId, type: 'AWS::SecretsManager::Secret', properties: { ...properties }, metadata: {} });
const generated = { GenerateSecretString: { PasswordLength: 48, ExcludePunctuation: true } };
const known = (arn: string) => manager.secretOf(arn);

test('A secret is generated as the template asks, each of its own, and found by its ARN.', async () => {
  const [one, other] = [await secret('One', generated), await secret('Other', generated)];
  expect(one.ref).toMatch(/^arn:aws:secretsmanager:eu-central-1:000000000000:secret:One-\w{12}-\w{6}$/);
  expect(known(one.ref)).toMatch(/^[A-Za-z0-9]{48}$/);
  expect(known(other.ref)).toMatch(/^[A-Za-z0-9]{48}$/);
  expect(known(one.ref)).not.toBe(known(other.ref));
});

test.each([
  ['with a text of its own', { SecretString: 'known to all' }],
  ['with punctuation', { GenerateSecretString: { PasswordLength: 48 } }],
])('A secret %s is not played, and that is said.', (_, properties) => {
  expect(() => secret('Odd', properties)).toThrow("AWS::SecretsManager::Secret Odd can't be played on this machine");
});

describe('A dynamic reference', () => {
  test('becomes the secret wherever it is, in a text too, and nothing else changes.', async () => {
    const { ref } = await secret('Third', generated);
    const reference = `{{resolve:secretsmanager:${ref}:SecretString:::}}`;
    const value = { list: [{ text: `before ${reference} after` }, reference, 1, null], other: '{{mustache}}' };
    const found = known(ref) ?? '?';
    expect(withSecrets(value, known)).toEqual({
      list: [{ text: `before ${found} after` }, found, 1, null],
      other: '{{mustache}}',
    });
  });

  test('to a secret that there is not fails, as in an account.', () => {
    expect(() => withSecrets('{{resolve:secretsmanager:none:SecretString:::}}', known)).toThrow(
      "Secrets Manager can't find the specified secret: none",
    );
  });

  test.each(['secretsmanager:one:SecretString:key::', 'secretsmanager:one', 'ssm:/name:1'])(
    'to %s is not played, and that is said.',
    (path) => expect(() => withSecrets(`{{resolve:${path}}}`, () => 'found')).toThrow('is not played on this machine'),
  );
});
