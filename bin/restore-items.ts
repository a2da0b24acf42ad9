import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { restoreItems } from './restore-items/restore';

const usage = `usage: npm run --silent restore-items -- --from TABLE --to TABLE [--delete-others] [--write]

Makes a table's items equal to those of a copy restored from a point in time (docs/deploying.md). Without --write it only
counts; with --delete-others it deletes items that the copy does not have.
`;

async function run(args: string[]): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const table = { type: 'string' } as const;
  const options = { from: table, to: table, 'delete-others': flag, write: flag };
  const { from, to, 'delete-others': deleteOthers, write } = parseArgs({ args: args, options }).values;
  if (from === undefined || to === undefined) throw new Error('--from and --to are required');
  const { same, put, deleted } = await restoreItems(new DynamoDBClient(), { from, to, deleteOthers, write });
  const done = write ? '' : ' would be';
  console.log(`${same} unchanged, ${put}${done} put, ${deleted}${done} deleted`);
}

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  process.exitCode = 2;
});
