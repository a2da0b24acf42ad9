import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startStack, stopStack, type RunningStack } from '../api/stack/running-stack';
import { guideNames, readGuide, type Block, expectedStatus, jsonValuesIn, kindOf, isMessage } from './read/guide';
import { findingsIn, programsIn, runClientProgram, writePrograms } from './run/client-programs';
import { languageNames } from '../clients/languages';
import { openShell, type Shell, type ShellRun } from './run/shell';
import { deviceStatuses } from '../../domain/fleet/device';
import { jobStatuses } from '../../domain/jobs/job-lifecycle';
import { knownState } from '../../domain/telemetry/known-state';

/** What a device happens to report, and when the platform reported of a job: on a busy machine it has it before it is read. */
const reported = [...Object.keys(knownState.shape), 'receivedAt', 'reportedAt'].filter((name) => name !== 'timestamp');
/** Fields whose example must be the very value. */
const fixed = [
  'success',
  'error',
  'error_description',
  'code',
  'type',
  'message',
  'path',
  'token_type',
  'expires_in',
  'id',
  'jobState',
  'previousState',
  'shareState',
  'shareType',
  'permissions',
  'priority',
  'maxViewers',
  'protocol',
  'snapshot',
];
/** Values that stand for each other: what a device or a job does at this moment depends on when one looks. */
const alternatives: readonly (readonly unknown[])[] = [jobStatuses, deviceStatuses];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const namesOf = (value: object) => Object.keys(value).filter((name) => !reported.includes(name));

/**
 * Why an output is not like its example: another field, another type, or another value of a field that is fixed.
 * @returns undefined when it is
 */
function difference(example: unknown, actual: unknown, path = ''): string | undefined {
  if (Array.isArray(example) && Array.isArray(actual)) {
    const [first] = example as unknown[];
    if (first !== undefined && actual.length === 0) return `${path} is empty`;
    return first === undefined ? undefined : difference(first, (actual as unknown[])[0], `${path}.0`);
  }
  if (isObject(example) && isObject(actual)) {
    const [expected, found] = [namesOf(example), namesOf(actual)];
    const missing = expected.filter((name) => !found.includes(name));
    const more = found.filter((name) => !expected.includes(name));
    if (missing.length > 0) return `${path} lacks ${missing.join(', ')}`;
    if (more.length > 0) return `${path} has ${more.join(', ')}, which the example lacks`;
    return expected.map((name) => difference(example[name], actual[name], `${path}.${name}`)).find(Boolean);
  }
  if (typeof example !== typeof actual) return `${path} is ${JSON.stringify(actual)}`;
  const name = path.replace(/\.0$/, '').split('.').at(-1) ?? '';
  if (name === 'status')
    return example === actual || alternatives.some((set) => set.includes(example) && set.includes(actual))
      ? undefined
      : `${path} is another word`;
  return fixed.includes(name) && example !== actual ? `${path} is ${JSON.stringify(actual)}` : undefined;
}

/** Mostly for starting the stack, and for a guide with a flight. */
jest.setTimeout(240_000);
/** Go compiles the client and all that it imports once: it takes 40 s of a processor, which may be busy. */
const BEFORE_ALL_MS = 600_000;

/** Programs, and how each is installed. */
const needed = [
  ['bash', 'apt-get install bash'],
  ['curl', 'apt-get install curl'],
  ['jq', 'apt-get install jq'],
  ['mosquitto_sub', 'apt-get install mosquitto-clients'],
  ['go', 'version 1.25 or later, https://go.dev/doc/install'],
] as const;

const guides = guideNames.map(readGuide);
const programs = programsIn(guides);

/** Guides whose jobs are flown by what they start: a simulated fleet would fly them too. */
const withoutFleet = ['connect-a-platform'];

let stack: RunningStack;
let environment = '';

beforeAll(async () => {
  const missing = needed.filter(([program]) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0)
    throw new Error(`Missing for the guides: ${missing.map(([program, how]) => `${program} (${how})`).join(', ')}`);
  await writePrograms(programs);
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
}, BEFORE_ALL_MS);
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

/**
 * What wscat is to print in a block: a message of each type in the output that follows, with a cursor if that has one;
 * or a snapshot.
 */
function awaitedIn(next: Block | undefined): readonly string[] {
  if (next?.language !== 'json' || kindOf(next) !== 'output') return ['"snapshot":true'];
  return (jsonValuesIn(next.text) as Record<string, unknown>[]).flatMap(({ type, cursor }) => [
    ...(type === undefined ? [] : [`"type":${JSON.stringify(type)}`]),
    // Of a group, the last message of its snapshot only.
    ...(cursor === undefined ? [] : ['"cursor":']),
  ]);
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

test.each(languageNames)('the programs in %s stand the strict checks of their language', async (language) => {
  expect(programs.filter((program) => program.language === language).length).toBeGreaterThan(5);
  expect(await findingsIn(language)).toEqual([]);
});

describe.each([
  ['a page of jobs', 0, 10],
  ['a job and its first live message', 1, 12],
])('In the quick start, %s', (_, index, lines) => {
  test.each(languageNames)(`takes at most ${lines} lines of %s`, (language) => {
    const shown = programs.filter((program) => program.guide === 'quick-start' && program.language === language);
    expect(shown).toHaveLength(2);
    // What gofmt puts over several lines before the first statement.
    const code = shown[index]?.text.replace(/^package main\n\nimport \(\n.*?\n\)\n/s, '').trim() ?? '';
    expect(code.split('\n').length).toBeLessThanOrEqual(lines);
  });
});

test('the environment of the guides is what npm start writes', () => {
  const names = [...readFileSync(environment, 'utf8').matchAll(/^export (\w+)=/gm)].map(([, name]) => name);
  for (const name of names) expect(readGuide('quick-start').text).toContain(`\`${name ?? ''}\``);
});
