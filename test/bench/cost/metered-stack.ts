import { setTimeout as pause } from 'node:timers/promises';
import type { AwsAccess, BillableUnit, Charges, Usage } from 'cloud-assembly-runner';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { PLATFORM } from '../../../domain/values/service';
import type { InboundEvent } from '../../../domain/platform/inbound-events';
import { findBus, type LocalStack } from '../support/local-stack';
import type { ChannelClient } from '../support/many-clients';

/** A look at the meter of a running stack. */
interface Reading {
  readonly usage: Usage;
  /** In ms. */
  readonly at: number;
}

/** Used within a time. */
interface Used {
  readonly usage: Usage;
  readonly minutes: number;
}

/** Without a new invocation for so long, nothing is pending. */
const QUIET_MS = 2500;
const SETTLE_TIMEOUT_MS = 120_000;

export async function read({ endpointUrl, accessKeyId }: AwsAccess): Promise<Reading> {
  const response = await fetch(`${endpointUrl}/_usage`, { headers: { authorization: `Bearer ${accessKeyId}` } });
  return { usage: (await response.json()) as Usage, at: performance.now() };
}

/** Reads when no function has been invoked for a while. @throws Error when that does not happen */
export async function readSettled(access: AwsAccess): Promise<Reading> {
  const deadline = performance.now() + SETTLE_TIMEOUT_MS;
  let last: Usage | undefined;
  let busy: string[] = [];
  while (performance.now() < deadline) {
    const reading = await read(access);
    const requests = (usage: Usage | undefined, name: string) => usage?.[name]?.['lambda:requests'] ?? 0;
    busy = Object.keys(withoutSchedules(reading.usage)).filter(
      (name) => requests(reading.usage, name) !== requests(last, name),
    );
    if (last && busy.length === 0) return reading;
    last = reading.usage;
    await pause(QUIET_MS);
  }
  throw new Error(`functions are still invoked long after the last request: ${busy.join(', ')}`);
}

export function between(before: Reading, after: Reading): Used {
  const usage = Object.entries(after.usage).map(([caller, charges]) => {
    const earlier = before.usage[caller] ?? {};
    return [caller, map(charges, (quantity, unit) => quantity - (earlier[unit] ?? 0))] as const;
  });
  return { usage: Object.fromEntries(usage), minutes: (after.at - before.at) / 60_000 };
}

/**
 * What a scenario adds to an idle stack: without what runs on a schedule, the polls of queues at the idle rate, and command
 * lines, except events, which are those of the platform.
 */
export function beyondIdle({ usage, minutes }: Used, idle: Used): Usage {
  const added = Object.entries(withoutSchedules(usage)).map(([caller, charges]) => {
    if (caller === 'admin') return [caller, only(charges, ['events:events', 'events:bytes'])] as const;
    const polls = ((idle.usage[caller]?.['sqs:requests'] ?? 0) / idle.minutes) * minutes;
    const beyond = map(charges, (quantity, unit) =>
      unit === 'sqs:requests' ? Math.max(0, quantity - polls) : quantity,
    );
    return [caller, beyond] as const;
  });
  return Object.fromEntries(added);
}

/** Without functions that schedules of the template invoke: their number does not depend on use. */
function withoutSchedules(usage: Usage): Usage {
  return Object.fromEntries(Object.entries(usage).filter(([caller]) => !/(Heartbeat|Reconcile)Function/.test(caller)));
}

export function scaled(usage: Usage, factor: number): Usage {
  return Object.fromEntries(
    Object.entries(usage).map(([caller, charges]) => [caller, map(charges, (quantity) => quantity * factor)]),
  );
}

/** Without what is less than nothing, which noise makes of differences. */
export function positive(usage: Usage): Usage {
  return Object.fromEntries(
    Object.entries(usage).map(([caller, charges]) => [caller, map(charges, (quantity) => Math.max(0, quantity))]),
  );
}

export function sum(...all: readonly Usage[]): Usage {
  const total: Record<string, Partial<Record<BillableUnit, number>>> = {};
  for (const usage of all)
    for (const [caller, charges] of Object.entries(usage)) {
      const own = (total[caller] ??= {});
      for (const [unit, quantity] of entries(charges)) own[unit] = (own[unit] ?? 0) + quantity;
    }
  return total;
}

function entries(charges: Charges): [BillableUnit, number][] {
  return Object.entries(charges) as [BillableUnit, number][];
}

function map(charges: Charges, change: (quantity: number, unit: BillableUnit) => number): Charges {
  return Object.fromEntries(entries(charges).map(([unit, quantity]) => [unit, change(quantity, unit)]));
}

function only(charges: Charges, units: readonly BillableUnit[]): Charges {
  return Object.fromEntries(entries(charges).filter(([unit]) => units.includes(unit)));
}

/** A running stack with an organisation whose devices this bench reports, in place of the platform. */
export interface Setup {
  readonly stack: LocalStack;
  readonly client: ChannelClient;
  /** Publishes a report of the platform. */
  readonly platform: (report: InboundEvent) => Promise<void>;
  /** What the stack uses while nobody does anything. */
  readonly idle: Used;
}

/** Publishes to the bus of a running stack. */
export async function platformOf(access: AwsAccess) {
  const { bus: EventBusName, options } = await findBus(access);
  const bus = new EventBridgeClient(options);
  return async ({ type, detail }: InboundEvent): Promise<void> => {
    const entry = { EventBusName, Source: PLATFORM, DetailType: type, Detail: JSON.stringify(detail) };
    await bus.send(new PutEventsCommand({ Entries: [entry] }));
  };
}
