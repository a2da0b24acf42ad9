import * as z from 'zod';
import { root } from '../assemblies';
import { runCommand } from '../command';
import type { Lane } from '../lane';

/** What `npm audit --json` prints, of what is told on; npm documentation, "npm audit". */
const audit = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      name: z.string(),
      severity: z.enum(['info', 'low', 'moderate', 'high', 'critical']),
      range: z.string(),
      via: z.array(z.union([z.string(), z.object({ title: z.string(), url: z.string() })])),
    }),
  ),
});
type Report = z.output<typeof audit>;

/** What is not deployed may have a fault that nobody can reach through it. */
const TOLERATED_IN_TOOLS: readonly string[] = ['info', 'low', 'moderate'];

/** Advisories of the registry on what package-lock.json names. */
export const advisories: Lane = {
  title: 'what is installed, by the advisories of the npm registry',
  run: async () => {
    const deployed = await reportOn('--omit=dev');
    if (typeof deployed === 'string') return unanswered(deployed);
    const all = await reportOn();
    if (typeof all === 'string') return unanswered(all);
    return [
      ...objectionsTo(deployed, () => true),
      ...objectionsTo(all, (name, severity) => !(name in deployed) && !TOLERATED_IN_TOOLS.includes(severity)),
    ];
  },
};

/** @returns the vulnerabilities by package, or what the registry answered in their place */
async function reportOn(...options: string[]): Promise<Report['vulnerabilities'] | string> {
  // 1: it has found some, or could not ask.
  const { stdout, stderr } = await runCommand('npm', ['audit', '--json', ...options], { cwd: root, exitCodes: [0, 1] });
  const report = audit.safeParse(JSON.parse(stdout));
  return report.success ? report.data.vulnerabilities : `${stdout}${stderr}`.trim().split('\n').slice(0, 3).join(' ');
}

/** A mirror of the registry may have no advisories; where the workflows run, npm's own answers. */
function unanswered(answer: string): string[] {
  const said = `the registry answers no question about advisories: ${answer}`;
  if (process.env['GITHUB_ACTIONS'] === 'true') return [said];
  console.log(`  left out: ${said}`);
  return [];
}

function objectionsTo(found: Report['vulnerabilities'], counts: (name: string, severity: string) => boolean): string[] {
  return Object.values(found)
    .filter(({ name, severity }) => counts(name, severity))
    .map(({ name, severity, range, via }) => {
      const why = via.map((one) => (typeof one === 'string' ? `through ${one}` : `${one.title} (${one.url})`));
      return `${severity}: ${name} ${range}: ${why.join(', ')}`;
    });
}
