import { paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { mission, type Mission } from './missions';
import { endedShare, openCommand, type EndedShare, type OpenCommand } from './commands';
import { dynamodb, tableName, updateItem } from './table';

/** Key of the item that holds the latest run, beside the missions. No job has such an id. */
const RUN_KEY = 'latest-run';
const latestRun = z.object({ jobId: z.literal(RUN_KEY), runId: z.string() });

/** Stores the id of a new run, which ends the previous one. */
export const beginRun = (runId: string): Promise<boolean> =>
  updateItem(RUN_KEY, 'SET runId = :runId', { ':runId': runId });

/** What a tick has to deal with. */
export interface OpenItems {
  /** All missions that wait or fly. */
  readonly missions: readonly Mission[];
  /** All commands that have been neither taken nor answered. */
  readonly commands: readonly OpenCommand[];
  /** Shares that have ended lately. */
  readonly endedShares: readonly EndedShare[];
  /** The run that began last. */
  readonly runId: string | undefined;
}

const openItem = z.union([
  latestRun,
  z.object({ state: openCommand.shape.state }),
  z.object({ state: endedShare.shape.state }),
]);

/** Reads the open items and the latest run. */
export async function readOpenItems(): Promise<OpenItems> {
  const [missions, commands, endedShares]: [Mission[], OpenCommand[], EndedShare[]] = [[], [], []];
  let runId: string | undefined;
  const pages = paginateScan(
    { client: dynamodb },
    {
      TableName: tableName(),
      ConsistentRead: true,
      // The item of the latest run has no state.
      FilterExpression: 'attribute_not_exists(#state) OR #state <> :over',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':over': 'over' },
    },
  );
  for await (const page of pages) {
    for (const item of page.Items ?? []) {
      const beside = openItem.safeParse(item).data;
      if (!beside) missions.push(mission.parse(item));
      else if ('runId' in beside) runId = beside.runId;
      else if (beside.state === 'requested') commands.push(openCommand.parse(item));
      else endedShares.push(endedShare.parse(item));
    }
  }
  return { missions, commands, endedShares, runId };
}
