import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { expectLocalFolder } from '../api/stack/address';
import { access } from '../api/stack/aws-access';

/** How long five minutes of an alarm's period last in the stack under test. */
export const ALARM_PERIOD_MS = 3000;

const state = z.enum(['OK', 'ALARM', 'INSUFFICIENT_DATA']);
const statistics = z.object({
  states: z.array(z.object({ name: z.string(), state })),
  changes: z.array(z.object({ name: z.string(), to: state, reason: z.string() })),
});

/** Alarms of the stack under test: the state of each, and every change since the start, the oldest first. */
export async function readAlarms() {
  const { endpoint = '', credentials } = access();
  const answer = await fetch(`${endpoint}/_statistics/monitoring`, {
    headers: { authorization: `Bearer ${credentials?.accessKeyId ?? ''}` },
  });
  const { states, changes } = statistics.parse(await answer.json());
  return {
    states: new Map(states.map((one) => [alarmOf(one.name), one.state])),
    changes: changes.map(({ name, to, reason }) => ({ name: alarmOf(name), to, reason })),
  };
}

/** `Failures` of the logical id `ObservabilityAlarmsFailures55642730`. */
const alarmOf = (logicalId: string) => logicalId.replace(/^ObservabilityAlarms|[0-9A-F]{8}$/g, '');

/** Alarms of docs/operations.md with their urgency; they are generated from the template with every option. */
export function documentedAlarms(): ReadonlyMap<string, string> {
  const page = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
  return new Map(
    [...page.matchAll(/^\| \[(\w+)\]\(runbooks\/[\w-]+\.md\) +\| (page|ticket) /gm)].map(
      ([, name = '', urgency = '']) => [name, urgency],
    ),
  );
}

/** What functions have logged so far, in characters. */
export const loggedSoFar = (): number => functionLog().length;

/** Errors that functions logged after so many characters, each kind once: why an alarm rang that nobody expected. */
export function errorsLoggedAfter(start: number): readonly string[] {
  const errors = functionLog()
    .slice(start)
    .split('\n')
    .filter((line) => line.includes('"level":"ERROR"'))
    .map((line) => line.replace(/"(requestId|timestamp|trace|stack)":"(\\.|[^"\\])*",?/g, '').slice(0, 300));
  return [...new Set(errors)].sort();
}

const functionLog = () => readFileSync(join(expectLocalFolder(), 'functions.log'), 'utf8');
