import { parseArgs } from 'node:util';
import { appTemplates } from './deployer-policy/app-templates';
import { policyDocuments } from './deployer-policy/documents';

const usage = `usage: npm run --silent deployer-policy -- [DOCUMENT] [--permissions-boundary ARN]

Prints the policies for CloudFormation's role (docs/deploying.md), or one of them in the form that IAM accepts.
`;

/** Prints the requested documents; exit code 2 for an invalid command line. */
async function run(args: string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: args,
      options: { 'permissions-boundary': { type: 'string' } },
      allowPositionals: true,
    });
    const documents = policyDocuments(await appTemplates(), values['permissions-boundary']);
    const [name, ...more] = positionals;
    const chosen = name === undefined ? documents : documents[name];
    if (chosen === undefined || more.length > 0) throw new Error(`documents are ${Object.keys(documents).join(', ')}`);
    process.stdout.write(`${JSON.stringify(chosen, undefined, 2)}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    return 2;
  }
}

void run(process.argv.slice(2)).then((exitCode) => (process.exitCode = exitCode));
