import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../assemblies';
import { runCommand } from '../command';
import { ensureDebianProgram } from '../install/debian';
import { installLambdaRuntime } from '../install/node';
import { pythonWith } from '../install/python';
import { NotInstalled, type Lane } from '../lane';
import { mended, storyWithout } from './differing';
import type { Trimmed } from './trim';
import { fillWorkFolder } from './work-folder';

/** Programs, and the packages of Debian that have them. */
const programs = { ip: 'iproute2', unshare: 'util-linux', dnsmasq: 'dnsmasq-base', openssl: 'openssl', unzip: 'unzip' };
const FIVE_MINUTES_MS = 300_000;
/** `inside.ts` ends with this when the emulator objects, and with others when it fails itself. */
const OBJECTED = 3;

/**
 * The template is deployed by the CDK's own command on an emulator that others wrote, with IAM enforced, and a partner's
 * story is told there. All of it runs in a network namespace in which AWS's host names lead to the emulator, so that every
 * address is the one that the stack's outputs name.
 */
export const ministack: Lane = {
  title: 'a deployment and the smoke test on MiniStack, an emulator of AWS, with IAM enforced',
  run: async () => {
    if (process.getuid?.() !== 0) throw new NotInstalled('a network namespace', 'run it as root');
    for (const [program, debianPackage] of Object.entries(programs)) await ensureDebianProgram(program, debianPackage);
    const python = await pythonWith('ministack', join(__dirname, 'requirements.txt'));
    const runtime = await installLambdaRuntime();
    const work = mkdtempSync(join(tmpdir(), 'outsiders-ministack-'));
    try {
      const trimmed = await fillWorkFolder(work, runtime);
      sayWhatDiffers(trimmed);
      const idle = [...trimmed.leftOut].filter(([, count]) => count === 0);
      const { exitCode, stdout } = await runInside(work, python, runtime.binFolder);
      const lines = stdout.trimEnd().split('\n');
      const objection = exitCode === OBJECTED ? lines.pop() : undefined;
      for (const line of lines) console.log(`  ${line}`);
      return [
        ...idle.map(([{ type }]) => `${type} is left out, but the template has none`),
        ...(objection === undefined ? [] : [String(JSON.parse(objection.replace(/^✗ /, '')))]),
      ];
    } finally {
      rmSync(work, { recursive: true });
    }
  },
};

function sayWhatDiffers({ kept, leftOut }: Trimmed): void {
  const total = [...leftOut.values()].reduce((sum, count) => sum + count, kept);
  console.log(`  ${kept} of ${total} resources are deployed`);
  for (const [{ type, having, reason }, count] of leftOut)
    console.log(`  left out: ${count} ${type}${having === undefined ? '' : ` with ${having}`}, since ${reason}`);
  for (const [part, reason] of Object.entries(storyWithout))
    console.log(`  left out of the story: ${part}, since ${reason}`);
  for (const mend of mended) console.log(`  mended in the emulator: ${mend}`);
}

function runInside(work: string, python: string, node: string) {
  const isolated = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const machine = ['bash', join(__dirname, 'namespace.sh'), work, python];
  const story = [process.execPath, '--require', 'tsx/cjs', join(__dirname, 'inside.ts'), work, python, node];
  return runCommand('unshare', [...isolated, ...machine, ...story], {
    cwd: root,
    // A process reads it once, at its start.
    env: { NODE_EXTRA_CA_CERTS: join(work, 'certificate.pem') },
    exitCodes: [0, OBJECTED],
    timeoutMs: FIVE_MINUTES_MS,
    // It waits for what it has started, whatever else it is told.
    killSignal: 'SIGKILL',
  });
}
