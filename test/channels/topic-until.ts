import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { ChannelKind } from '../../contract/channels/status-channels';
import { fleetKey } from '../../data/fleet/fleet-key';
import { organisationOf } from '../../domain/values/id';
import { database, tableNamed } from '../api/stack/aws-access';

/** Until when somebody may be subscribed to the topic of a job, a group or a share, Unix seconds; undefined before anybody was. */
export async function topicUntil(kind: ChannelKind, id: string): Promise<number | undefined> {
  const organisation = organisationOf(kind, id) ?? '';
  const [name, Key] = {
    job: ['Jobs', { organisation, jobId: id }] as const,
    share: ['Shares', { organisation, shareCode: id }] as const,
    group: ['Fleet', fleetKey(organisation, id)] as const,
  }[kind];
  const { Item } = await database().send(
    new GetCommand({ TableName: await tableNamed(name), Key, ConsistentRead: true }),
  );
  return Item?.['topicUntil'] as number | undefined;
}
