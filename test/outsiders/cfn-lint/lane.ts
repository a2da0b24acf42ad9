import { join } from 'node:path';
import * as z from 'zod';
import { defaultStack, fullStacks, root, type SynthesisedStack } from '../artifacts';
import { runCommand } from '../processes';
import { pythonWith } from '../install';
import type { Lane } from '../lane';

/** Regions to check: a common one for deployments, and the one that gets all features first. */
const REGIONS = ['eu-central-1', 'us-east-1'];
/** Equivalent of the cfn-lint script. */
const CFN_LINT = 'import sys; from cfnlint.runner import main; sys.exit(main())';
/** Sum of 2 for errors, 4 for warnings and 8 for information (cfn-lint's documentation, "Exit codes"). */
const EXIT_CODES = [0, 2, 4, 6, 8, 10, 12, 14];
/** Exit code of registry.py with findings. Python itself uses 1 for a failed script. */
const FINDINGS_EXIT_CODE = 3;

/** cfn-lint: resource schemas from AWS's registry, and its own rules. */
export const cfnLint: Lane = {
  title: 'the template, by default and with every choice, and the deployer policy, by cfn-lint',
  run: async () => {
    const python = await pythonWith('cfn-lint', join(__dirname, 'requirements.txt'));
    const stacks = [await defaultStack(), ...(await fullStacks())];
    const judged = await Promise.all(stacks.map(async (one) => applyAccepted(one, await matchesIn(one, python))));
    const used = new Set(judged.flatMap(({ used }) => used));
    const idle = acceptedFindings.filter((one) => !used.has(one));
    return [
      ...(await deployerPolicyFindings(python)),
      ...judged.flatMap(({ findings }) => findings),
      ...idle.map(({ rule, reason }) => `${rule} is accepted (${reason}), but no longer found`),
    ];
  },
};

/** Checks the deployer policy against the permissions of resource types and the IAM actions that cfn-lint ships. */
async function deployerPolicyFindings(python: string): Promise<string[]> {
  const script = join(root, 'bin/deployer-policy/registry.py');
  const { exitCode, stdout } = await runCommand(python, [script, '--check'], { exitCodes: [0, FINDINGS_EXIT_CODE] });
  const lines = stdout.trimEnd().split('\n');
  if (exitCode === FINDINGS_EXIT_CODE) return lines;
  for (const line of lines) console.log(`  ${line}`);
  return [];
}

async function matchesIn({ templateFile }: SynthesisedStack, python: string): Promise<Match[]> {
  const options = ['--include-checks', 'I', '--format', 'json', '--regions', ...REGIONS];
  const args = ['-c', CFN_LINT, ...options, '--template', templateFile];
  const { stdout } = await runCommand(python, args, { exitCodes: EXIT_CODES });
  return parseMatches(stdout);
}

function applyAccepted({ template, templateFile }: SynthesisedStack, matches: readonly Match[]) {
  const explanationOf = (match: Match): AcceptedFinding | undefined => {
    const type = template.Resources[String(match.Location.Path[1])]?.Type;
    return acceptedFindings.find(({ rule, concerns }) => rule === match.Rule.Id && concerns(match, type));
  };
  const explanations = matches.map((match) => ({ match, explanation: explanationOf(match) }));
  const used = acceptedFindings.filter((one) => explanations.some(({ explanation }) => explanation === one));
  for (const one of used) {
    const count = explanations.filter(({ explanation }) => explanation === one).length;
    console.log(`  ${one.rule}, ${count} times: ${one.reason}`);
  }
  const findings = explanations
    .filter(({ explanation }) => explanation === undefined)
    .map(({ match: { Level, Rule, Message, Location } }) =>
      [Level, Rule.Id, `${templateFile}:${Location.Start.LineNumber}`, Location.Path.join('.'), Message].join(' '),
    );
  return { findings, used };
}

/** A finding that is accepted for some resources, and why. */
interface AcceptedFinding {
  readonly rule: string;
  /** @param type of the resource of the match */
  readonly concerns: (match: Match, type: string | undefined) => boolean;
  readonly reason: string;
}

/** All accepted findings of cfn-lint. An entry that matches nothing is reported too. */
const acceptedFindings: readonly AcceptedFinding[] = [
  {
    rule: 'W3005',
    concerns: ({ Location: { Path }, Message }, type) =>
      type === 'AWS::Lambda::Function' && Path[2] === 'DependsOn' && Message.includes('/Properties/Role'),
    reason: 'the CDK makes every function depend on its role, and so names the role twice',
  },
];

/** A finding of cfn-lint, with the used fields of its JSON output. */
const match = z.object({
  Filename: z.string(),
  Level: z.string(),
  Location: z.object({
    Path: z
      .array(z.union([z.string(), z.number()]))
      .nullish()
      .transform((path) => path ?? []),
    Start: z.object({ LineNumber: z.number() }),
  }),
  Message: z.string(),
  Rule: z.object({ Id: z.string() }),
});

type Match = z.output<typeof match>;

/** @throws ZodError unless it is cfn-lint's JSON output */
const parseMatches = (json: string): Match[] => z.array(match).parse(JSON.parse(json));
