import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { openApiFile, root } from '../artifacts';
import { runCommand } from '../processes';
import { pythonWith } from '../install';
import type { Lane } from '../lane';
import { scopes } from '../../../contract/terms/scopes';
import { runPartnerCommand } from '../../api/stack/aws-access';
import { readFacts } from '../../api/stack/facts';
import { startStack, stopStack } from '../../api/stack/running-stack';
import { givenFlyingDevice, givenFreeDevices } from '../../channels/flying-device';
import { checkMission } from '../../../packages/simulator/check-mission';
import type { SimulatedDevice } from '../../../packages/simulator/fleet';
import { makePlatformQueue, publishPlatformEvent } from '../../channels/platform-bus';

/** Schemathesis's JSON report, as far as it is used. */
const report = z.object({
  schemathesis_version: z.string(),
  seed: z.int(),
  complete: z.boolean(),
  operations: z.object({ total: z.int(), tested: z.int() }),
  test_cases: z.object({ generated: z.int() }),
  failures: z.array(z.object({ code: z.string(), title: z.string(), count: z.int(), operations: z.array(z.string()) })),
  errors: z.array(z.unknown()),
  warnings: z.object({ missing_auth: z.array(z.unknown()), missing_test_data: z.array(z.unknown()) }),
});

const accepted = z.array(z.object({ reason: z.string(), count: z.int() }));

type Report = z.output<typeof report>;

const readReport = (file: string): Report => report.parse(JSON.parse(readFileSync(file, 'utf8')));

/** The counts of accepted failures that `hooks.py` writes. */
const readAccepted = (file: string) => accepted.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Another one, or a random one, finds other cases: `SCHEMATHESIS_SEED`. */
const SEED = process.env['SCHEMATHESIS_SEED'] ?? '13';
/** Of each operation and phase, together more than LEAST_CASES: `SCHEMATHESIS_EXAMPLES`. */
const MAX_EXAMPLES = process.env['SCHEMATHESIS_EXAMPLES'] ?? '60';
const LEAST_CASES = 3000;
const OPTIONS = [
  '--checks',
  'all',
  '--mode',
  'all',
  '--phases',
  'examples,coverage,fuzzing,stateful',
  '--seed',
  SEED,
  '--max-examples',
  MAX_EXAMPLES,
  '--workers',
  '1',
  '--generation-database',
  'none',
  // Only a request that hangs takes so long, also on a busy machine.
  '--continue-on-failure',
  '--request-timeout',
  '60',
];
/** Ends a run that hangs: on two idle cores it takes three minutes. */
const TWENTY_MINUTES_MS = 1_200_000;

/** What is not asked, with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'access between organisations': 'the tests in test/api/jobs/ and test/api/shares/ try it for every endpoint',
  'answers 429 and 5xx': 'the stack is not overloaded; test/api/limits.test.ts and test/faults/ test them',
};

/** Generates requests from the OpenAPI document, valid and invalid ones, and checks every answer by the document. */
export const schemathesis: Lane = {
  title: 'the API on this machine, by requests that schemathesis makes from the OpenAPI document',
  run: async () => {
    const python = await pythonWith('schemathesis', join(__dirname, 'requirements.txt'));
    const folder = mkdtempSync(join(tmpdir(), 'outsiders-schemathesis-'));
    const stack = await startOnboardedStack();
    try {
      return await judge(python, stack, folder);
    } finally {
      await stack.stop();
      rmSync(folder, { recursive: true });
    }
  },
};

async function judge(python: string, stack: OnboardedStack, folder: string): Promise<string[]> {
  const reportFile = join(folder, 'report.json');
  const acceptedFile = join(folder, 'accepted.json');
  const target = [join(root, openApiFile), '--url', stack.url, '--report-json-path', reportFile];
  const { stdout } = await runCommand(python, ['-m', 'schemathesis.cli', '--no-color', 'run', ...target, ...OPTIONS], {
    // Where it looks for a configuration and keeps its cache.
    cwd: folder,
    env: {
      PYTHONPATH: __dirname,
      PYTHONDONTWRITEBYTECODE: '1',
      SCHEMATHESIS_HOOKS: 'hooks',
      STACK_URL: stack.url,
      STACK_PARTNERS: stack.partnersFile,
      STACK_FLYING_DEVICE: stack.flyingDevice,
      ACCEPTED_FAILURES: acceptedFile,
    },
    exitCodes: [0, 1],
    timeoutMs: TWENTY_MINUTES_MS,
  });
  const report = readReport(reportFile);
  const accepted = readAccepted(acceptedFile);
  print(report);
  // Ids differ in each run, so a rare one need not occur.
  for (const { reason, count } of accepted) console.log(`  accepted, ${count} times: ${reason}`);
  for (const [what, reason] of Object.entries(leftOut)) console.log(`  left out: ${what}, since ${reason}`);
  const failures = report.failures.map(
    ({ code, title, count, operations }) => `${code} ${title}, ${count} times: ${operations.join(', ')}`,
  );
  return [...(failures.length > 0 ? [...failures, failuresIn(stdout)] : []), ...shortcomings(report)];
}

function print({ schemathesis_version: version, seed, operations, test_cases: cases }: Report): void {
  console.log(
    `  schemathesis ${version}: ${cases.generated} requests to ${operations.tested} of ${operations.total} operations, ` +
      `seed ${seed}`,
  );
}

/** Why a run without failures would prove too little. */
function shortcomings({ complete, operations, test_cases: cases, errors, warnings }: Report): string[] {
  return [
    ...(complete && operations.tested === operations.total ? [] : ['not all operations were tested']),
    ...(cases.generated >= LEAST_CASES
      ? []
      : [`only ${cases.generated} requests, but should be ${LEAST_CASES} or more`]),
    ...errors.map((error) => `error: ${JSON.stringify(error)}`),
    ...warnings.missing_auth.map((one) => `only refused for missing access: ${JSON.stringify(one)}`),
    ...warnings.missing_test_data.map((one) => `only 404, since nothing exists: ${JSON.stringify(one)}`),
  ];
}

/** The part of schemathesis's output that explains the failures, with commands that repeat them. */
const failuresIn = (output: string) => /=+ FAILURES =+\n([^]*?)\n=+ /.exec(output)?.[1] ?? output;

const TYPE = 'mission.check.requested';

const received = z.object({ 'detail-type': z.literal(TYPE), detail: z.unknown() });

/**
 * Starts a drone platform that answers checks of jobs as the simulated fleet does, and does nothing else: it flies no job.
 * @param devices all that it flies
 * @returns ends it. @throws Error when it could not answer
 */
async function startCheckingPlatform(devices: readonly SimulatedDevice[]): Promise<() => Promise<void>> {
  const queue = await makePlatformQueue('checking-platform', [TYPE]);
  let isStopped = false;

  async function answer(event: unknown): Promise<void> {
    const { detail } = received.parse(event);
    await publishPlatformEvent('mission.check.reported', checkMission(detail, devices, 'schemathesis'), new Date());
  }
  async function listen(): Promise<void> {
    while (!isStopped) await Promise.all((await queue.take(1)).map(answer));
  }
  const listening = listen();
  // Whoever stops it gets to know.
  listening.catch(() => undefined);

  return async () => {
    isStopped = true;
    await listening;
  };
}

/** Enough that none of them reaches a limit per client, the lowest of which is 30 shares a minute. */
const CLIENTS = 24;

/** Each dispatch takes one. */
const FREE_DEVICES = 100;

const group = z.object({ deviceGroupId: z.string(), devices: z.array(z.object({ deviceId: z.string() })) });
const partner = z.object({ deviceGroups: z.tuple([group], group) });
const onboarded = z.object({ partners: z.tuple([partner], partner) });

/** One organisation with a fleet: its clients see the same jobs and shares. */
const onboarding = {
  organisations: [
    {
      name: 'schemathesis',
      deviceGroups: [{ name: 'North', devices: [{ name: 'North 1', stream: true }, { name: 'North 2' }] }],
      clients: Array.from({ length: CLIENTS }, (_, index) => ({ name: `client-${index + 1}`, scopes })),
    },
  ],
};

/** A stack of this machine with onboarded clients. */
interface OnboardedStack {
  readonly url: string;
  /** Output of `partner onboard --json`, with secrets: only this user can read it. */
  readonly partnersFile: string;
  /** A device in flight. */
  readonly flyingDevice: string;
  stop(): Promise<void>;
}

/**
 * Starts a stack on free ports without a simulated fleet, so that only requests change jobs, onboards the clients, and
 * answers checks of jobs, each of which would otherwise wait for seconds.
 */
async function startOnboardedStack(): Promise<OnboardedStack> {
  const stack = await startStack();
  let stopPlatform = () => Promise.resolve();
  const folder = mkdtempSync(join(tmpdir(), 'outsiders-partners-'));
  const stop = async () => {
    rmSync(folder, { recursive: true });
    try {
      await stopPlatform();
    } finally {
      await stopStack(stack);
    }
  };
  try {
    process.env['STACK_FILE'] = join(stack.folder, 'stack.json');
    const plan = join(folder, 'onboarding.json');
    writeFileSync(plan, JSON.stringify(onboarding));
    const partnersFile = join(folder, 'partners.json');
    writeFileSync(partnersFile, await runPartnerCommand('onboard', '--file', plan), { mode: 0o600 });
    const { partners } = onboarded.parse(JSON.parse(readFileSync(partnersFile, 'utf8')));
    const [{ deviceGroupId, devices }] = partners[0].deviceGroups;
    await givenFreeDevices(deviceGroupId, FREE_DEVICES);
    // Those that a check is asked for: the courses of a hundred more would take most of the time of an answer.
    stopPlatform = await startCheckingPlatform(
      devices.map(({ deviceId }) => ({ kind: 'device', deviceId, deviceGroupId })),
    );
    const flyingDevice = await givenFlyingDevice(deviceGroupId);
    return { url: readFacts().baseUrl, partnersFile, flyingDevice, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
