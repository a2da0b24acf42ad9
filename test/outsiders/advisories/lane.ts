import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { root } from '../artifacts';
import { runCommand } from '../processes';
import type { Lane } from '../lane';

const names = z.record(z.string(), z.string()).default({});
const lockFile = z.object({
  packages: z.record(z.string(), z.object({ dependencies: names, optionalDependencies: names })),
});

/**
 * Names of the packages that the `dependencies` of package.json bring along. npm's own `--omit=dev` would add those of the
 * workspace `packages/cloud-assembly-runner/`, which is not deployed.
 */
function deployedPackages(): ReadonlySet<string> {
  const { packages } = lockFile.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));
  const found = new Set<string>();
  const visited = new Set<string>();
  const visit = (path: string): void => {
    if (visited.has(path)) return;
    visited.add(path);
    const { dependencies = {}, optionalDependencies = {} } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const at = installedAt(name, path, packages);
      if (at === undefined) continue;
      found.add(name);
      visit(at);
    }
  };
  visit('');
  return found;
}

/** Where a package that another one needs is installed: in the nearest `node_modules` above it. */
function installedAt(name: string, from: string, packages: Readonly<Record<string, unknown>>): string | undefined {
  const path = join(from, 'node_modules', name);
  if (Object.hasOwn(packages, path)) return path;
  return from === '' ? undefined : installedAt(name, from.includes('/') ? dirname(from) : '', packages);
}

/** Output of `npm audit --json`, as far as it is used; npm documentation, "npm audit". */
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

/** Severities tolerated in development dependencies, which are not deployed. */
const TOLERATED_IN_TOOLS: readonly string[] = ['info', 'low', 'moderate'];

/** Advisories of the npm registry about the packages in package-lock.json. */
export const advisories: Lane = {
  title: 'the installed packages, by the advisories of the npm registry',
  run: async () => {
    const found = await reportOn();
    if (typeof found === 'string') return withoutAdvisories(found);
    const deployed = deployedPackages();
    return findingsOf(found, (name, severity) => deployed.has(name) || !TOLERATED_IN_TOOLS.includes(severity));
  },
};

/** @returns the vulnerabilities by package, or the registry's error */
async function reportOn(): Promise<Report['vulnerabilities'] | string> {
  // 1: it has found vulnerabilities, or the request failed.
  const { stdout, stderr } = await runCommand('npm', ['audit', '--json'], { cwd: root, exitCodes: [0, 1] });
  const report = audit.safeParse(JSON.parse(stdout));
  return report.success ? report.data.vulnerabilities : `${stdout}${stderr}`.trim().split('\n').slice(0, 3).join(' ');
}

/** A mirror of the registry may lack advisories; the workflows use npm's own registry. */
function withoutAdvisories(answer: string): string[] {
  const message = `the registry has no advisories: ${answer}`;
  if (process.env['GITHUB_ACTIONS'] === 'true') return [message];
  console.log(`  skipped: ${message}`);
  return [];
}

function findingsOf(found: Report['vulnerabilities'], counts: (name: string, severity: string) => boolean): string[] {
  return Object.values(found)
    .filter(({ name, severity }) => counts(name, severity))
    .map(({ name, severity, range, via }) => {
      const why = via.map((one) => (typeof one === 'string' ? `through ${one}` : `${one.title} (${one.url})`));
      return `${severity}: ${name} ${range}: ${why.join(', ')}`;
    });
}
