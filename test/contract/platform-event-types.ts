/**
 * Questions about the types of platform events, which `npm run types` answers: what stands below `@ts-expect-error` has to fail.
 * A row in the table of `domain/` is enough for a new event: what publishes and reads it takes any row, and one that
 * comes in needs a handler besides.
 */
import {
  inboundEvents,
  type InboundDetail,
  type InboundEvent,
  type InboundEventType,
} from '../../domain/platform/inbound-events';
import { outboundEvents, type OutboundEventType, type OutboundDetail } from '../../domain/platform/outbound-events';
import { publishPlatformEvent } from '../../data/platform/publish-to-platform';
import { platformEventHandlers } from '../../lambdas/platform/platform-event-handlers';
import { publishReports } from '../../packages/simulator/publish-reports';

/** One row is enough to publish and to read an outbound event. */
export const publish = <Type extends keyof typeof outboundEvents>(type: Type, detail: OutboundDetail<Type>) =>
  publishPlatformEvent(type, detail);
export const outboundType = (type: keyof typeof outboundEvents): OutboundEventType => type;
export const parsed = (): string => outboundEvents['organisation.changed'].parse({}).name;

/** One that does not match its schema is not published. */
declare const changed: OutboundDetail<'organisation.changed'>;
export const published = publishPlatformEvent('organisation.changed', { ...changed, name: 'North' });
// @ts-expect-error a name is no number
export const ofWrongType = publishPlatformEvent('organisation.changed', { ...changed, name: 9 });
// @ts-expect-error it has no such field
export const withUnknownField = publishPlatformEvent('organisation.changed', { ...changed, shareCode: 'share-1' });
// @ts-expect-error there is no such event
export const unknown = publishPlatformEvent('organisation.lost', changed);

/** One row is enough for the simulated platform to publish an inbound event. */
export const inboundType = (type: keyof typeof inboundEvents): InboundEventType => type;
export const report = <Type extends InboundEventType>(type: Type, detail: InboundDetail<Type>) =>
  publishReports([{ type, detail } as Extract<InboundEvent, { readonly type: Type }>]);

/** An inbound event needs a handler. */
const { 'jobs.requested': _requested, ...otherHandlers } = platformEventHandlers;
// @ts-expect-error a handler is missing
export const handlers: typeof platformEventHandlers = otherHandlers;
export const isEachHandled = (type: keyof typeof inboundEvents) => platformEventHandlers[type];
