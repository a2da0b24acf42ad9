import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startStack, stopStack, type RunningStack } from '../api/stack/running-stack';
import { expectedStatus, jsonValuesIn, kindOf } from './read/block-kind';
import { guideNames, readGuide, type Block } from './read/guide';
import { isMessage } from './read/message-schema';
import { checkTypes, programsIn, runClientProgram, writePrograms } from './run/client-programs';
import { difference } from './run/looks-like';
import { openShell, type Shell, type ShellRun } from './run/shell';

/** Mostly for starting the stack, and for a guide with a flight. */
jest.setTimeout(240_000);

const needed = [
  ['bash', 'bash'],
  ['curl', 'curl'],
  ['jq', 'jq'],
  ['mosquitto_sub', 'mosquitto-clients'],
] as const;

const guides = guideNames.map(readGuide);
const programs = (['ts', 'python'] as const).flatMap((language) => programsIn(guides, language));

/** Guides whose jobs are flown by what they start: a simulated fleet would fly them too. */
const withoutFleet = ['connect-a-platform'];

let stack: RunningStack;
let environment = '';

beforeAll(async () => {
  const missing = needed.filter(([program]) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0)
    throw new Error(
      `Missing for the guides: apt-get install ${missing.map(([, debianPackage]) => debianPackage).join(' ')}`,
    );
  writePrograms(programs);
  stack = await startStack(['--fleet-speed', '20']);
  environment = join(stack.folder, 'demo.env');
  // So that lists have more than one page.
  const shell = openShell(environment);
  await shell.start();
  await expectBlocks(
    shell,
    readGuide('quick-start')
      .blocks.filter(({ language }) => language === 'bash')
      .slice(0, 2),
  );
  // So that there is a drone to dispatch.
  const reported =
    'until curl -sS "$BASE_URL/v3/resources?include=state" -H "authorization: Bearer $TOKEN" |' +
    " jq -e '[.resources[].devices[].lastState] | all' >&2; do sleep 0.5; done";
  expect(await shell.run(reported, [])).toMatchObject({ code: 0 });
  shell.close();
});
afterAll(() => stopStack(stack));

function expectHeaders(example: string, { stdout }: ShellRun): void {
  for (const line of example.trim().split('\n')) {
    const [name = ''] = line.split(':');
    // Of the status line the status, of a header its name, and its value where it is a limit.
    const expected = /^HTTP\/1.1 \d{3}|^x-ratelimit-limit: \d+$/.exec(line)?.[0] ?? `${name}: `;
    expect(stdout.toLowerCase()).toContain(expected.toLowerCase());
  }
}

/** Each example must be like one of the values that were printed; messages must be in the contract too. */
function expectOutput(example: string, { stdout }: ShellRun): void {
  const printed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const expected of jsonValuesIn(example) as Record<string, unknown>[]) {
    const { type } = expected;
    const alike = printed.filter((value) => value['type'] === type);
    if (type !== undefined) expect(alike.every(isMessage)).toBe(true);
    const differences = alike.map((value) => difference(expected, value));
    expect({ type, printed: printed.length, differences }).toEqual({
      type,
      printed: printed.length,
      differences: expect.arrayContaining([undefined]) as unknown,
    });
  }
}

/** What wscat is to print in a block: a message of each type in the output that follows, or a snapshot. */
function awaitedIn(next: Block | undefined): readonly string[] {
  if (next?.language !== 'json' || kindOf(next) !== 'output') return ['"snapshot":true'];
  const types = (jsonValuesIn(next.text) as Record<string, unknown>[]).flatMap(({ type }) => type ?? []);
  return types.map((type) => `"type":${JSON.stringify(type)}`);
}

/** Runs the blocks in their order, programs with the variables of the shell at that point, and compares what they print. */
async function expectBlocks(shell: Shell, blocks: readonly Block[], guide = ''): Promise<void> {
  let last: ShellRun | undefined;
  for (const [index, block] of blocks.entries()) {
    const { language, text, line } = block;
    if (language === 'bash') {
      last = await shell.run(text, awaitedIn(blocks[index + 1]));
      expect({ line, code: last.code, ...(last.code !== 0 && { stderr: last.stderr }) }).toEqual({ line, code: 0 });
      const wrong = last.statuses.filter((status) => !expectedStatus(block).test(status));
      expect({ line, wrong }).toEqual({ line, wrong: [] });
    }
    const program = programs.find((each) => each.guide === guide && each.line === line);
    if (program) {
      const { code, stdout, stderr } = await runClientProgram(program, await shell.exported());
      expect({ line, code, ...(code !== 0 && { stderr }) }).toEqual({ line, code: 0 });
      expect({ line, printed: stdout.length > 0 }).toEqual({ line, printed: true });
    }
    if (kindOf(block) !== 'output' || !last) continue;
    if (language === 'json') expectOutput(text, last);
    else expectHeaders(text, last);
  }
}

describe.each(guides.map((guide) => [guide.name, guide] as const))('The guide %s', (name, { blocks }) => {
  test('does what it says', async () => {
    const own = withoutFleet.includes(name) ? await startStack() : undefined;
    const shell = openShell(own ? join(own.folder, 'demo.env') : environment);
    try {
      expect(await shell.start()).toMatchObject({ code: 0 });
      await expectBlocks(shell, blocks, name);
    } finally {
      const { ADAPTER } = await shell.exported();
      if (ADAPTER !== undefined) spawnSync('kill', ['-KILL', ADAPTER]);
      shell.close();
      if (own) await stopStack(own);
    }
  });
});

test.each(['ts', 'python'] as const)('the programs in %s have the types that the client declares', async (language) => {
  expect(programs.filter((program) => program.language === language).length).toBeGreaterThan(5);
  const { code, stdout } = await checkTypes(language);
  expect({ code, ...(code !== 0 && { stdout }) }).toEqual({ code: 0 });
});

test('the environment of the guides is what npm start writes', () => {
  const names = [...readFileSync(environment, 'utf8').matchAll(/^export (\w+)=/gm)].map(([, name]) => name);
  for (const name of names) expect(readGuide('quick-start').text).toContain(`\`${name ?? ''}\``);
});
