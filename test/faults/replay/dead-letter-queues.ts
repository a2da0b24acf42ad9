import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { GetQueueAttributesCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { queues } from '../../api/stack/aws-access';

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
