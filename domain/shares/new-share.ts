/** New shares: what a request for one may say. The functions of its viewers load none of it. */
import * as z from 'zod/mini';
import { anyCommandName } from '../commands/command';
import { organisationOf } from '../values/id';
import { listOfDistinct } from '../values/list-of-distinct';
import { metadata } from '../values/metadata';
import { Refusal } from '../values/refusal';
import { permissions, newShareBounds, shareTypes, type Share } from './share';
import { name } from '../values/text';

const permissionList = z.pipe(
  listOfDistinct(z.enum(permissions), 1, 10, 'permissions'),
  z.transform((given) => permissions.filter((permission) => given.includes(permission))),
);

const bounded = ({ minimum, maximum, default: value }: (typeof newShareBounds)[keyof typeof newShareBounds]) =>
  z._default(z.int().check(z.minimum(minimum), z.maximum(maximum)), value);

/** Commands that the viewers of a share may send, by name. */
const commands = z.optional(listOfDistinct(anyCommandName, 1, 50, 'commands'));

/** Body of a request for a new share (spec section 4). */
export const shareRequest = z.strictObject({
  resourceId: name,
  shareType: z.enum(shareTypes),
  permissions: z._default(permissionList, ['view']),
  commands,
  expiresIn: bounded(newShareBounds.expiresIn),
  maxViewers: bounded(newShareBounds.maxViewers),
  metadata: z.optional(metadata),
});

export type ShareRequest = z.output<typeof shareRequest>;

/** What is said of the id of a group where a device is shared. */
const groupInPlaceOfDevice = 'is a device group: share a device of it';

/** @throws Refusal `resource_not_found` for a device group: only a device of it can be shared */
export function expectNoGroup({ resourceId }: Pick<ShareRequest, 'resourceId'>): void {
  if (organisationOf('group', resourceId) === undefined) return;
  throw new Refusal('resource_not_found', [{ path: 'resourceId', message: groupInPlaceOfDevice }]);
}

/** The share that a request creates; it expires `expiresIn` seconds after `now` (ISO 8601). */
export const newShare = (
  { expiresIn, ...request }: ShareRequest,
  deviceId: string,
  shareCode: string,
  now: string,
): Share => ({
  ...request,
  shareCode,
  deviceId,
  currentViewers: 0,
  version: 1,
  createdAt: now,
  expiresAt: new Date(Date.parse(now) + expiresIn * 1000).toISOString(),
});
