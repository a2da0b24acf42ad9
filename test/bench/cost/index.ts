import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Measured, Measurement } from '../support/figure';
import { startLocalStack } from '../support/local-stack';
import { onboardClients } from '../support/many-clients';
import { serviceApp, serviceStack } from '../support/service-app';
import { loggingOf, type Bill } from './bill';
import { memoryRows, type MemoryRow } from './memory';
import { fleet, reports } from './fleet';
import { commands, jobs, shareEnds, shareViewers } from './scenarios';
import { printBills, writeDocument, writeScenarios } from './document';
import { idleBill, type TemplateResource } from './idle';
import { between, platformOf, read, readSettled, type Setup } from './metered-stack';

/** Whole minutes, since schedules run once a minute. */
const IDLE_MINUTES = 1;
const DEVICES = 100;

/** Dollars that a scenario may cost. */
const limits: readonly (readonly [scenario: RegExp, dollars: number])[] = [
  [/at rest, 0 followers/, 350],
  [/Hz in flight, 0 followers/, 2250],
  [/at rest, 10 followers in batches/, 3000],
  [/a million jobs/, 45],
  [/a million commands.*nobody follows/, 20],
  [/a million shares/, 10],
  [/an idle month/, 10],
];

const MAX_LOGGING_DOLLARS = 1;

interface Costs {
  readonly bills: readonly Bill[];
  readonly memory: readonly MemoryRow[];
}

/** Runs scenarios on a stack of their own. */
async function onStack<Result>(folder: string, run: (setup: Setup) => Promise<Result>): Promise<Result> {
  const stack = await startLocalStack(join(__dirname, '../../..'), folder, ['--memory']);
  try {
    const [client] = await onboardClients(folder, stack.facts.baseUrl, 1, DEVICES);
    if (!client) throw new Error('no client was onboarded');
    const platform = await platformOf(stack.access);
    const before = await readSettled(stack.access);
    await pause(IDLE_MINUTES * 60_000);
    const idle = between(before, await read(stack.access));
    return await run({ stack, client, platform, idle });
  } finally {
    await stack.stop();
  }
}

const measure = (folder: string): Promise<Costs> =>
  onStack(folder, async (setup) => {
    // The fleet comes last: its devices go offline half a minute after it.
    const small = [await jobs(setup), ...(await commands(setup)), await shareEnds(setup), await shareViewers(setup)];
    const bills = [...(await fleet(setup)), ...small, idleMonth(folder)];
    return { bills, memory: memoryRows((await read(setup.stack.access)).usage) };
  });

/**
 * What the service costs in an account, by the calls that the stack of this machine counts. `COST_WRITE=before` keeps
 * the result as what later ones are compared with, `COST_WRITE=yes` writes docs/cost.md.
 */
export const cost: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cost-'));
  try {
    const { bills, memory } = await measure(folder);
    printBills(bills);
    await writeDocument(bills, memory, process.env['COST_WRITE']);
    return [...limits.map(([scenario, dollars]) => rowOf(bills, scenario, dollars)), ...loggingRow(bills)];
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** What the lines of a million jobs cost; those of the handshake of their follower are not theirs. */
function loggingRow(bills: readonly Bill[]): Measured[] {
  const logging = loggingOf(bills);
  if (!logging) return [];
  const { ofJobs, ofHandshakes } = logging;
  return [
    {
      figure: 'log lines of a million jobs',
      measured: `$${ofJobs.toFixed(2)}, and $${ofHandshakes.toFixed(2)} of a follower's handshake`,
      mustBe: `at most $${MAX_LOGGING_DOLLARS}`,
      ok: ofJobs <= MAX_LOGGING_DOLLARS,
    },
  ];
}

/** Some scenarios of `cost` alone; `COST_WRITE=yes` writes their sections of docs/cost.md, and the prices. */
const only =
  (scenarios: (folder: string) => Promise<readonly Bill[]>): Measurement =>
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cost-'));
    try {
      const bills = await scenarios(folder);
      printBills(bills);
      if (process.env['COST_WRITE'] === 'yes') await writeScenarios(bills);
      return limits.flatMap(([scenario, dollars]) =>
        bills.some((bill) => scenario.test(bill.scenario)) ? [rowOf(bills, scenario, dollars)] : [],
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  };

/** The scenario that needs no running stack. */
export const costIdle = only((folder) => Promise.resolve([idleMonth(folder)]));

export const costCommands = only((folder) => onStack(folder, commands));

/** Devices that nobody follows. */
export const costTelemetry = only((folder) => onStack(folder, reports));

/** @param folder for the cloud assembly */
function idleMonth(folder: string): Bill {
  const app = serviceApp(join(folder, 'assembly'));
  const stack = serviceStack(app);
  const { template } = app.synth().getStackByName(stack.stackName) as {
    template: { Resources: Record<string, TemplateResource> };
  };
  return idleBill(template.Resources);
}

function rowOf(made: readonly Bill[], scenario: RegExp, limit: number): Measured {
  const bill = made.find((one) => scenario.test(one.scenario));
  if (!bill) throw new Error(`there is no scenario ${scenario.source}`);
  return {
    figure: bill.scenario,
    measured: `$${bill.dollars.toFixed(2)}`,
    mustBe: `at most $${limit}`,
    ok: bill.dollars <= limit,
  };
}
