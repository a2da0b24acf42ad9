import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

jest.mock('node:fs/promises', () => jest.requireActual<object>('../../../../lib/functions/bundled/no-files'));

const folder = mkdtempSync(join(tmpdir(), 'no-files-'));
process.env['AWS_CONFIG_FILE'] = join(folder, 'config');
writeFileSync(process.env['AWS_CONFIG_FILE'], '[default]\nmax_attempts = 7\n');

afterAll(() => rmSync(folder, { recursive: true }));

test('the SDK takes the refusal to read for configuration files that do not exist', async () => {
  // The default for DynamoDB.
  const { maxAttempts } = new DynamoDBClient({ region: 'eu-central-1' }).config;
  await expect(maxAttempts()).resolves.toBe(4);
});
