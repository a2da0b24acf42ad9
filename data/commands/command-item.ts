import * as z from 'zod/mini';
import { isEnded } from '../../domain/commands/command-lifecycle';
import { commandRecord, type CommandRecord } from '../../domain/commands/command-record';
import { metadataText, readMetadata } from '../store/metadata-text';

/** How long a command is kept after its request, in seconds: as long as the track of a job, 90 days. */
const KEPT_S = 90 * 86_400;

const item = z.object({
  ...commandRecord.shape,
  parameters: z.pipe(z.transform(readMetadata), commandRecord.shape.parameters),
  /** Of a viewer's command: whose viewers hear of it. It gives access, so it is part of no answer. */
  shareCode: z.optional(z.string()),
  changeId: z.optional(z.string()),
});

/** A command with what is nobody's but this service's. */
export interface StoredCommand {
  readonly command: CommandRecord;
  readonly shareCode: string | undefined;
  readonly changeId: string | undefined;
}

export interface CommandKey {
  readonly deviceId: string;
  readonly commandId: string;
}

export const commandToItem = (command: CommandRecord, shareCode: string | undefined) => ({
  ...command,
  // DynamoDB takes no number as near to 0 as a coordinate may be.
  parameters: metadataText(command.parameters),
  shareCode,
  // The key of the index of open commands.
  openOn: isEnded(command.status) ? undefined : command.deviceId,
  ttl: Math.floor(Date.parse(command.requestedAt) / 1000) + KEPT_S,
});

/** Parses the item of a command. @throws Error for an item that this service never wrote */
export function commandFromItem(found: Record<string, unknown> | undefined): StoredCommand | undefined {
  if (!found) return undefined;
  const { shareCode, changeId, ...command } = item.parse(found);
  return { command, shareCode, changeId };
}
