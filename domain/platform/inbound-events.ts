import * as z from 'zod/mini';
import { anyCommandName } from '../commands/command';
import { commandReason, reportedCommandStatus } from '../commands/command-lifecycle';
import { registeredCapabilities } from '../fleet/device';
import { checkReport } from '../dispatch/job-check';
import { jobReport } from '../jobs/job-report';
import { judged } from '../values/judged';
import { nullsLeftOut } from '../values/nulls-left-out';
import { listOfDistinct } from '../values/list-of-distinct';
import { reportedSample } from '../telemetry/reported-sample';
import { moment, name, text } from '../values/text';

/** When a change of the fleet happened, to the millisecond: of two changes in one second it decides which is later. */
const at = z.optional(moment);

/** The names of commands are read more strictly than those that are stored, which are of before that rule. */
const capabilities = z.extend(registeredCapabilities, {
  commands: z.optional(z.array(anyCommandName).check(z.maxLength(100))),
});

/** Maximum of samples in one event. */
export const MAX_REPORTED_SAMPLES = 100;

/**
 * Events that the platform publishes to this service: the `detail` by `detail-type`. Unknown fields are ignored, except in a
 * sample, where they are refused as when a partner publishes it. `null` in an optional field is as if it were left out.
 */
export const inboundEvents = {
  'job.status.reported': nullsLeftOut(jobReport),
  'device.telemetry.reported': z.pipe(
    z.transform((one) => (typeof one === 'object' && one !== null && 'telemetry' in one ? one : { telemetry: [one] })),
    z.object({ telemetry: listOfDistinct(judged(reportedSample), 1, MAX_REPORTED_SAMPLES, 'samples') }),
  ),
  'device-group.registered': nullsLeftOut(
    z.object({
      deviceGroupId: name,
      name: name,
      description: z._default(text(0, 4096), ''),
      at,
    }),
  ),
  'device-group.removed': nullsLeftOut(z.object({ deviceGroupId: name, at })),
  'device.registered': nullsLeftOut(
    z.object({
      deviceId: name,
      deviceGroupId: name,
      name: name,
      stream: z.optional(name),
      capabilities: z.optional(capabilities),
      at,
    }),
  ),
  'device.removed': nullsLeftOut(z.object({ deviceId: name, at })),
  'jobs.requested': nullsLeftOut(z.object({ requestId: name, organisationId: z.optional(name) })),
  'control.outcome.reported': nullsLeftOut(
    z.object({
      requestId: name,
      deviceId: name,
      outcome: reportedCommandStatus,
      reason: z.optional(commandReason),
      at: moment,
    }),
  ),
  'mission.check.reported': nullsLeftOut(z.extend(checkReport, { requestId: name })),
} as const;

export type InboundEventType = keyof typeof inboundEvents;

export type InboundDetail<Type extends InboundEventType> = z.output<(typeof inboundEvents)[Type]>;

/** An event as the platform publishes it. */
export type InboundEvent = {
  [Type in InboundEventType]: { readonly type: Type; readonly detail: InboundDetail<Type> };
}[InboundEventType];
