import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { policyDocuments, withBoundary, type PolicyDocuments } from './deployer-policy/documents';

const usage = `usage: npm run --silent deployer-policy -- [DOCUMENT] [--permissions-boundary ARN]
       npm run deployer-policy -- --write

Prints the policies for CloudFormation's role (docs/deploying.md), or one of them in the form that IAM accepts. --write derives them
from the app as it is now, and writes docs/deployer-policy.json.
`;

const file = join(__dirname, '../docs/deployer-policy.json');

/** Prints the requested documents. @throws Error for an unknown one */
function print(name: string | undefined, more: readonly string[], boundaryArn: string | undefined): void {
  const committed = JSON.parse(readFileSync(file, 'utf8')) as PolicyDocuments;
  const documents = boundaryArn === undefined ? committed : withBoundary(committed, boundaryArn);
  const chosen = name === undefined ? documents : documents[name];
  if (chosen === undefined || more.length > 0) throw new Error(`documents are ${Object.keys(documents).join(', ')}`);
  process.stdout.write(`${JSON.stringify(chosen, undefined, 2)}\n`);
}

async function write(): Promise<void> {
  // To print does not need the app.
  const { appTemplates } = await import('./deployer-policy/app-templates');
  writeFileSync(file, `${JSON.stringify(policyDocuments(await appTemplates()), undefined, 2)}\n`);
}

function run(args: string[]): Promise<void> | void {
  const { values, positionals } = parseArgs({
    args,
    options: { 'permissions-boundary': { type: 'string' }, write: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [name, ...more] = positionals;
  if (values.write) return write();
  print(name, more, values['permissions-boundary']);
}

try {
  void run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  process.exitCode = 2;
}
