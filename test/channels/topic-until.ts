import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { fleetKey } from '../../data/fleet/fleet-key';
import { organisationOf } from '../../domain/id';
import { database, tableNamed } from '../api/stack/aws-access';

/** Until when somebody may be subscribed to the topic of a job or a group, Unix seconds; undefined before anybody was. */
export async function topicUntil(kind: 'job' | 'group', id: string): Promise<number | undefined> {
  const organisation = organisationOf(kind, id);
  const { Item } = await database().send(
    new GetCommand({
      TableName: await tableNamed(kind === 'job' ? 'Jobs' : 'Fleet'),
      Key: kind === 'job' ? { organisation, jobId: id } : fleetKey(organisation ?? '', id),
      ConsistentRead: true,
    }),
  );
  return Item?.['topicUntil'] as number | undefined;
}
