import * as z from 'zod';
import { asyncApiFiles, openApiFile, root } from '../artifacts';
import { runCommand } from '../processes';
import type { Lane } from '../lane';

const cli = require.resolve('@redocly/cli/bin/cli.js');

/** What partners can expect of the agent-readiness score, out of 100. */
const LEAST_AGENT_READINESS = 90;

/** Output of `redocly lint --format json`, as far as it is used. */
const lintReport = z.object({
  version: z.string(),
  problems: z.array(
    z.object({
      ruleId: z.string(),
      severity: z.string(),
      message: z.string(),
      location: z.array(z.object({ source: z.object({ ref: z.string() }), pointer: z.string().optional() })).min(1),
    }),
  ),
});

const scoreReport = z.object({ agentReadiness: z.number(), discoverability: z.number() });

type Problem = z.output<typeof lintReport>['problems'][number];

/** Redocly's rules, as `redocly.yaml` has them, and its score for how simple an API is for agents. */
export const redocly: Lane = {
  title: 'the published documents, by the linter of Redocly and its score for agent readiness',
  run: async () => {
    const files = [openApiFile, ...asyncApiFiles()];
    const reports = [];
    for (const file of files) reports.push(lintReport.parse(await report(['lint', file], [0, 1])));
    const problems = reports.flatMap((one) => one.problems);
    const { agentReadiness, discoverability } = scoreReport.parse(await report(['score', openApiFile], [0]));
    console.log(`  Redocly ${reports[0]?.version ?? ''}: ${problems.length} problems in ${files.length} documents`);
    console.log(`  agent readiness ${agentReadiness} of 100, discoverability ${discoverability}`);
    console.log('  left out: a score for AsyncAPI documents, which Redocly does not have');
    const findings = problems.map(describe);
    return agentReadiness < LEAST_AGENT_READINESS
      ? [...findings, `agent readiness is ${agentReadiness}, but should be ${LEAST_AGENT_READINESS} or more`]
      : findings;
  },
};

async function report(args: readonly string[], exitCodes: readonly number[]): Promise<unknown> {
  const { stdout } = await runCommand(process.execPath, [cli, ...args, '--format', 'json'], {
    cwd: root,
    env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    exitCodes,
  });
  return JSON.parse(stdout);
}

function describe({ severity, ruleId, message, location: [place] }: Problem): string {
  return `${severity} ${ruleId} ${place?.source.ref ?? ''}${place?.pointer ?? ''} ${message}`;
}
