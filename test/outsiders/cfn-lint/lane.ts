import { join } from 'node:path';
import { defaultStack, fullStacks, root, type SynthesisedStack } from '../assemblies';
import { runCommand } from '../command';
import { pythonWith } from '../install/python';
import type { Lane } from '../lane';
import { explained, type Explanation } from './explained';
import { parseMatches, type Match } from './match';

/** Where the stack may be deployed: a home of many integrators, and the one that has everything first. */
const REGIONS = ['eu-central-1', 'us-east-1'];
/** What the script cfn-lint does. */
const START = 'import sys; from cfnlint.runner import main; sys.exit(main())';
/** Sum of 2 for errors, 4 for warnings and 8 for information (cfn-lint's documentation, "Exit codes"). */
const ANSWERS = [0, 2, 4, 6, 8, 10, 12, 14];
/** What registry.py ends with when it has found some. Python itself ends with 1 when a script fails. */
const FAULTS = 3;

/** Schemas of every resource type, from AWS's registry, and the rules that people have learnt of. */
export const cfnLint: Lane = {
  title:
    'the template, by default and with every choice, judged by cfn-lint; the deployer policy, by what it knows of IAM',
  run: async () => {
    const python = await pythonWith('cfn-lint', join(__dirname, 'requirements.txt'));
    const stacks = [await defaultStack(), ...(await fullStacks())];
    const judged = await Promise.all(stacks.map(async (one) => judge(one, await matchesIn(one, python))));
    const used = new Set(judged.flatMap(({ used }) => used));
    const idle = explained.filter((one) => !used.has(one));
    return [
      ...(await faultsOfDeployerPolicy(python)),
      ...judged.flatMap(({ objections }) => objections),
      ...idle.map(({ rule, reason }) => `${rule} is explained (${reason}), but nothing is said any more`),
    ];
  },
};

/** cfn-lint ships what each type of resource needs, and IAM's actions: whether the deployer policy is still made from that. */
async function faultsOfDeployerPolicy(python: string): Promise<string[]> {
  const script = join(root, 'bin/deployer-policy/registry.py');
  const { exitCode, stdout } = await runCommand(python, [script, '--check'], { exitCodes: [0, FAULTS] });
  const lines = stdout.trimEnd().split('\n');
  if (exitCode === FAULTS) return lines;
  for (const line of lines) console.log(`  ${line}`);
  return [];
}

async function matchesIn({ templateFile }: SynthesisedStack, python: string): Promise<Match[]> {
  const options = ['--include-checks', 'I', '--format', 'json', '--regions', ...REGIONS];
  const args = ['-c', START, ...options, '--template', templateFile];
  const { stdout } = await runCommand(python, args, { exitCodes: ANSWERS });
  return parseMatches(stdout);
}

function judge({ template, templateFile }: SynthesisedStack, matches: readonly Match[]) {
  const explanationOf = (match: Match): Explanation | undefined => {
    const type = template.Resources[String(match.Location.Path[1])]?.Type;
    return explained.find(({ rule, concerns }) => rule === match.Rule.Id && concerns(match, type));
  };
  const explanations = matches.map((match) => ({ match, explanation: explanationOf(match) }));
  const used = explained.filter((one) => explanations.some(({ explanation }) => explanation === one));
  for (const one of used) {
    const count = explanations.filter(({ explanation }) => explanation === one).length;
    console.log(`  ${one.rule}, ${count} times: ${one.reason}`);
  }
  const objections = explanations
    .filter(({ explanation }) => explanation === undefined)
    .map(({ match: { Level, Rule, Message, Location } }) =>
      [Level, Rule.Id, `${templateFile}:${Location.Start.LineNumber}`, Location.Path.join('.'), Message].join(' '),
    );
  return { objections, used };
}
