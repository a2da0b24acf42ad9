import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { GetQueueAttributesCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { makePlatformQueue, type PlatformQueue, publishPlatformEvent } from '../channels/platform-bus';
import { access, stackName, queues } from '../api/stack/aws-access';
import { runCommand } from '../outsiders/processes';
import { pythonWith } from '../outsiders/install';

const received = z.object({
  'detail-type': z.string(),
  detail: z.looseObject({
    eventId: z.string(),
    jobId: z.string().optional(),
    version: z.number().optional(),
    status: z.string().optional(),
    name: z.string().optional(),
    scheduledAt: z.string().optional(),
    shareId: z.string().optional(),
  }),
});
type Received = z.output<typeof received>;

/** A platform that does what docs/platform.md says and remembers nothing else: not even which jobs it has flown. */
export interface RecordingPlatform {
  /** Takes off for the jobs that wait, and from now on for each that comes. */
  clearForTakeOff(): void;
  /** How often it took off, by job. */
  readonly takeOffs: ReadonlyMap<string, number>;
  /** The latest event of each job. */
  readonly jobs: ReadonlyMap<string, Received>;
  /** Types of all events, without repeats, by job or share. */
  typesOf(id: string): readonly string[];
  /** How many events came again. */
  repeats(): number;
  readonly connect: PlatformQueue['connect'];
  stop(): Promise<void>;
}

/** @param name of its queue and its rule */
export async function startRecordingPlatform(name: string): Promise<RecordingPlatform> {
  const queue = await makePlatformQueue(name);

  const seen = new Set<string>();
  const jobs = new Map<string, Received>();
  const takeOffs = new Map<string, number>();
  const types = new Map<string, string[]>();
  const flights: Promise<void>[] = [];
  let repeats = 0;
  let isCleared = false;
  let isStopped = false;

  function handle(event: Received): void {
    const { eventId, jobId, shareId, version = 0 } = event.detail;
    if (seen.has(eventId)) {
      repeats += 1;
      return;
    }
    seen.add(eventId);
    const id = jobId ?? shareId ?? '';
    types.set(id, [...(types.get(id) ?? []), event['detail-type']]);
    if (jobId === undefined || (jobs.get(jobId)?.detail.version ?? 0) >= version) return;
    jobs.set(jobId, event);
    takeOffIfDue(event);
  }

  function takeOffIfDue({ 'detail-type': type, detail: { jobId = '', status, scheduledAt } }: Received): void {
    const isDue = scheduledAt === undefined || Date.parse(scheduledAt) <= Date.now();
    if (!isCleared || !isDue || type === 'job.deleted' || !['PENDING', 'QUEUED'].includes(status ?? '')) return;
    takeOffs.set(jobId, (takeOffs.get(jobId) ?? 0) + 1);
    flights.push(fly(jobId));
  }

  async function listen(): Promise<void> {
    while (!isStopped) for (const event of await queue.take(1)) handle(received.parse(event));
  }
  const listening = listen();

  return {
    takeOffs,
    jobs,
    typesOf: (id) => types.get(id) ?? [],
    repeats: () => repeats,
    connect: queue.connect,
    clearForTakeOff() {
      isCleared = true;
      for (const event of jobs.values()) takeOffIfDue(event);
    },
    async stop() {
      isStopped = true;
      await listening;
      await Promise.all(flights);
    },
  };
}

/** Events of the bus have no order, so that a report may wait for its predecessor otherwise. */
const BETWEEN_REPORTS_MS = 500;

async function fly(jobId: string): Promise<void> {
  for (const status of ['QUEUED', 'IN_PROGRESS', 'COMPLETED']) {
    const now = new Date();
    await publishPlatformEvent('job.status.reported', { jobId, status, at: now.toISOString() }, now);
    await pause(BETWEEN_REPORTS_MS);
  }
}

const page = readFileSync(join(__dirname, '../../docs/runbooks/dead-letter-queues.md'), 'utf8');

/** The commands of the page by an operation that only this block has; an indented block belongs to a step. */
const blocks = [...page.matchAll(/^( *)```bash\n([^]*?)\n\1```$/gm)].map(([, indent = '', text = '']) =>
  text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
);
const unused = new Set(blocks);

function blockWith(operation: string): string {
  const found = blocks.filter((block) => block.includes(operation));
  if (found.length !== 1) throw new Error(`${found.length} blocks of the runbook have ${operation}`);
  for (const block of found) unused.delete(block);
  return found.join('');
}

/** Blocks of the page that have not been run. */
export const blocksNotRun = (): readonly string[] => [...unused];

/** A person on call with the page, the AWS CLI and jq. */
export interface OnCall {
  /**
   * Runs the block that has this operation, with the variables of the blocks before.
   * @returns what it prints
   * @throws Error when a command fails
   */
  run(operation: string, variables?: Readonly<Record<string, string>>): Promise<string>;
  /** Content of a file that a block has written. */
  written(file: string): string;
  /** Removes what the blocks have written. */
  end(): void;
}

/** Installs the AWS CLI. @returns the interpreter that runs it */
export const installCli = () => pythonWith('aws-cli', join(__dirname, 'aws-cli-requirements.txt'));

/** @param alarm that fired @param python interpreter with the AWS CLI */
export function onCall(alarm: string, python: string): OnCall {
  const folder = mkdtempSync(join(tmpdir(), 'on-call-'));
  const state = join(folder, 'state');
  const { endpoint = '', region = '', credentials } = access();
  // Version 1 of the CLI has no variable for the endpoint of SQS.
  writeFileSync(join(folder, 'aws'), `#!/bin/sh\nexec "${python}" -m awscli --endpoint-url "${endpoint}" "$@"\n`);
  chmodSync(join(folder, 'aws'), 0o700);
  const env = {
    PATH: [folder, process.env['PATH']].join(delimiter),
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_PAGER: '',
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
    STACK: stackName(),
    ALARM: alarm,
  };

  return {
    async run(operation, variables = {}) {
      const before = `set -euo pipefail; if [ -f "${state}" ]; then . "${state}"; fi`;
      const assignments = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
      const text = replaced(blockWith(operation), variables);
      const after = `declare -p DEAD ORIGIN > "${state}"`;
      const script = [before, ...assignments, text, after].join('\n');
      const { stdout } = await runCommand('bash', ['--norc', '-c', script], { cwd: folder, env, timeoutMs: 60_000 });
      return stdout;
    },
    written: (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : ''),
    end: () => rmSync(folder, { recursive: true }),
  };
}

/** The block with the values that a person would write into it. */
const replaced = (text: string, variables: Readonly<Record<string, string>>) =>
  Object.entries(variables).reduce(
    (block, [name, value]) => block.replace(new RegExp(`\\b${name}=\\S+`), `${name}='${value}'`),
    text,
  );

const template = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.unknown().optional(),
      Metadata: z.object({ 'aws:cdk:path': z.string() }).partial().optional(),
    }),
  ),
});

/** Where a template names a dead-letter queue: redrive policies, functions and rules, event source mappings. */
const deadLetterKeys = ['deadLetterTargetArn', 'DeadLetterConfig', 'OnFailure'];
const attribute = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) });

/** The dead-letter queues of a synthesised app, by the names of their alarms. */
export function deadLetterQueuesIn(assemblyFolder: string): string[] {
  const [file = ''] = readdirSync(assemblyFolder).filter((name) => name.endsWith('.template.json'));
  const { Resources } = template.parse(JSON.parse(readFileSync(join(assemblyFolder, file), 'utf8')));
  const found = new Set(Object.values(Resources).flatMap(({ Properties }) => targetsIn(Properties, false)));
  const alarmOf = (logicalId: string) =>
    (Resources[logicalId]?.Metadata?.['aws:cdk:path'] ?? logicalId).split('/').slice(-3, -1).join('');
  return [...found].map(alarmOf);
}

function targetsIn(value: unknown, isTarget: boolean): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { success, data } = attribute.safeParse(value);
  if (success) return isTarget ? [data['Fn::GetAtt'][0]] : [];
  return Object.entries(value).flatMap(([key, one]) => targetsIn(one, isTarget || deadLetterKeys.includes(key)));
}

/** URL of the queue whose name has this part. */
export async function queueNamed(part: string): Promise<string> {
  const { QueueUrls = [] } = await queues().send(new ListQueuesCommand());
  const found = QueueUrls.filter((url) => url.includes(part));
  if (found.length !== 1) throw new Error(`${found.length} queues are named ${part}`);
  return found.join('');
}

/** How many messages wait in a queue. */
export async function messagesIn(QueueUrl: string): Promise<number> {
  const AttributeNames = ['ApproximateNumberOfMessages' as const, 'ApproximateNumberOfMessagesNotVisible' as const];
  const { Attributes = {} } = await queues().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
}

/** Whether a queue has at least so many messages; waits before it says no. */
export async function hasMessages(QueueUrl: string, count: number): Promise<true | undefined> {
  if ((await messagesIn(QueueUrl)) >= count) return true;
  await pause(200);
  return undefined;
}
