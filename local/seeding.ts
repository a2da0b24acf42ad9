import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { partnersShape, type AwsAccess, type Partner } from './stack-file';

/**
 * Onboards the demo partners of `seed.json` through the same command line that onboards real ones, pointed at the local
 * AWS endpoint. Rejects with what it printed when it fails.
 */
export async function seed(access: AwsAccess): Promise<readonly Partner[]> {
  const root = join(__dirname, '..');
  const command = ['--import', 'tsx', join('bin', 'partner.ts'), 'onboard', '--file', join(__dirname, 'seed.json')];
  const child = spawn(process.execPath, [...command, '--json'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      AWS_ENDPOINT_URL: access.endpointUrl,
      AWS_REGION: access.region,
      AWS_ACCESS_KEY_ID: access.accessKeyId,
      AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
      AWS_SESSION_TOKEN: access.sessionToken,
      // A profile would take precedence over the keys.
      AWS_PROFILE: undefined,
      STACK_NAME: access.stackName,
    },
  });
  const out: Buffer[] = [];
  const complaints: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
  const printed = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else reject(new Error(`Seeding failed:\n${Buffer.concat(complaints).toString().trim()}`));
    });
  });
  return partnersShape.parse(JSON.parse(printed)).partners;
}
