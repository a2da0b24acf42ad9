/**
 * Until when somebody may follow the telemetry or the positions of a resource. It is an attribute of the resource's own item, which
 * whoever delivers has at hand anyway: so what nobody follows costs no search for followers.
 */
import { organisationOf, type Resource } from '../../domain/id';
import { UpdateCommand } from '../store/document-client';
import { succeeded } from '../store/conditional-write';
import { fleetKey } from '../fleet/fleet-key';
import { dynamodb, table } from '../store/dynamodb';

/** What telemetry and positions are sent for. */
export interface Followed extends Resource {
  readonly kind: 'job' | 'group' | 'device';
}

/** `sockets`: WebSocket connections, which `followersOf` finds; `topic`: subscriptions to the MQTT topic. */
export type Medium = 'sockets' | 'topic';

/** Attribute by medium: Unix seconds. */
export const followedUntil = { sockets: 'socketsUntil', topic: 'topicUntil' } as const satisfies Record<Medium, string>;

function itemOf({ kind, id }: Followed) {
  const organisation = organisationOf(kind, id);
  if (!organisation) return undefined;
  return kind === 'job'
    ? { TableName: table('jobs'), Key: { organisation, jobId: id } }
    : { TableName: table('fleet'), Key: fleetKey(organisation, id) };
}

/**
 * Notes that a resource is followed until at least this time. No effect on a resource that does not exist.
 * @param until Unix seconds
 * @returns false when that has been noted before
 */
export async function noteFollowed(followed: Followed, medium: Medium, until: number): Promise<boolean> {
  const item = itemOf(followed);
  if (!item) return false;
  return succeeded(
    dynamodb.send(
      new UpdateCommand({
        ...item,
        UpdateExpression: 'SET #until = :until',
        ConditionExpression: 'attribute_exists(#id) AND (attribute_not_exists(#until) OR #until < :until)',
        ExpressionAttributeNames: { '#id': followed.kind === 'job' ? 'jobId' : 'id', '#until': followedUntil[medium] },
        ExpressionAttributeValues: { ':until': until },
      }),
    ),
  );
}
