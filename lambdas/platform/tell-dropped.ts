import { MOST_TOLD } from '../../contract/platform/platform-envelope';
import { dropReasons } from '../../domain/platform/drop-reason';
import { publishPlatformEvent } from '../../data/platform/publish-to-platform';
import { organisationId, organisationOf, type Kind } from '../../domain/values/id';
import { Refusal } from '../../domain/values/refusal';
import { readable } from '../runtime/details';
import { limitRate } from '../runtime/limit-rate';
import { logger } from '../runtime/logger';
import type { Drop } from './occurrence';

/** An event of the platform, as far as it could be read. */
export interface ReportedEvent {
  readonly id: string;
  readonly type: string;
  readonly detail: unknown;
}

const kinds = { jobId: 'job', deviceId: 'device', deviceGroupId: 'group' } as const satisfies Record<string, Kind>;

/** The resources that an event names, and their organisation; what is no identifier of this service is left out. */
function subjectOf(detail: unknown): Readonly<Record<string, string>> {
  const named = Object.entries(kinds).flatMap(([field, kind]) => {
    const id = (detail as Record<string, unknown> | null | undefined)?.[field];
    const organisation = typeof id === 'string' ? organisationOf(kind, id) : undefined;
    return organisation ? [{ field, id: id as string, organisation }] : [];
  });
  const [first] = named;
  const owner = first ? { organisationId: organisationId(first.organisation) } : {};
  return { ...owner, ...Object.fromEntries(named.map(({ field, id }) => [field, id])) };
}

/** Logs that an event was dropped, and tells the platform by `report.rejected`, unless that is normal. Never fails. */
export async function tellDropped({ id, type, detail }: ReportedEvent, { reason, details = [] }: Drop, now: Date) {
  const subject = subjectOf(detail);
  logger.warn('a report changed nothing', { reason, type: type.slice(0, 64) });
  if (!dropReasons[reason].isTold) return;
  try {
    await limitRate('platform#rejected', MOST_TOLD, now);
    await publishPlatformEvent('report.rejected', {
      eventId: `${id}/rejected`,
      at: now.toISOString(),
      ...subject,
      reportId: id,
      reportType: type.slice(0, 64),
      reason,
      details: readable(details),
    });
  } catch (error) {
    if (!(error instanceof Refusal))
      logger.warn('the platform was not told of a report that changed nothing', { error });
  }
}
