import { sendToDeadLetterQueue } from '../../data/platform/send-to-dead-letter-queue';
import { organisationOf, type Organisation } from '../../domain/values/id';
import { SERVICE_FAILED } from '../../domain/telemetry/receipt';
import { Unreadable } from '../../domain/values/judged';
import { notIssued, type Detail } from '../../domain/values/refusal';
import { PLATFORM } from '../../domain/values/service';
import type { Sample } from '../../domain/telemetry/sample';
import { allSettled } from '../runtime/concurrency';
import { faultsIn } from '../runtime/details';
import { acceptTelemetry } from '../telemetry/accept-telemetry';
import { logPublished, type SampleFault } from '../telemetry/publisher-log';
import { EventTooEarly, detailLines, type Drop, type Occurrence } from './occurrence';

/** A sample with its place in the event. */
interface Placed {
  readonly sample: Sample;
  readonly place: number;
}

/** A sample that can never be accepted, as it arrived, its place in the event, and what is wrong. */
interface Malformed {
  readonly input: unknown;
  readonly place: number;
  readonly faults: readonly Detail[];
}

/** Sorts samples by their organisations. */
function byOrganisation(telemetry: readonly (Sample | Unreadable)[]) {
  const own = new Map<Organisation, Placed[]>();
  const malformed: Malformed[] = [];
  for (const [place, sample] of telemetry.entries()) {
    const owner = sample instanceof Unreadable ? undefined : organisationOf('device', sample.deviceId);
    if (sample instanceof Unreadable) malformed.push({ input: sample.input, place, faults: faultsIn(sample) });
    else if (owner) own.set(owner, [...(own.get(owner) ?? []), { sample, place }]);
    else malformed.push({ input: sample, place, faults: notIssued('deviceId').details });
  }
  return { own, malformed };
}

/**
 * Accepts each organisation's samples, as if it had published them itself. A malformed one goes to the dead-letter queue alone.
 * @returns the drop reason when samples were malformed, or none was accepted
 * @throws EventTooEarly with those whose device is not known yet
 */
export async function acceptReportedSamples(
  telemetry: readonly (Sample | Unreadable)[],
  { id, at, now, isLastAttempt, with: withDetail }: Occurrence,
): Promise<Drop | undefined> {
  const { own, malformed } = byOrganisation(telemetry);
  const unknown: Placed[] = [];
  const refused: SampleFault[] = [];
  let accepted = 0;
  const accept = async ([owner, placed]: [Organisation, Placed[]]) => {
    const samples = placed.map(({ sample }) => sample);
    const acceptance = await acceptTelemetry(owner, samples, now, new Date(at)).catch((error: unknown) => {
      refused.push(...placed.map(({ place }) => ({ index: place, ...SERVICE_FAILED })));
      throw error;
    });
    accepted += acceptance.accepted;
    for (const { index, isUnknown, ...fault } of acceptance.refused) {
      const { sample, place } = placed[index] as Placed;
      refused.push({ index: place, ...fault });
      if (isUnknown) unknown.push({ sample, place });
      else malformed.push({ input: sample, place, faults: [fault] });
    }
  };
  const unreadable = malformed.flatMap(({ place, faults }) => faults.map((fault) => ({ index: place, ...fault })));
  /**
   * A sample is counted when nothing is left to be tried of it: that it was accepted, set aside, or given up in the last attempt.
   * Where the queue does not take the rest of an event by itself, all of it comes again and is counted again.
   */
  const log = (retried: readonly Placed[]) => {
    const places = new Set(retried.map(({ place }) => place));
    const settled = [...telemetry.entries()].filter(([place]) => !places.has(place));
    logPublished(PLATFORM, settled, [...unreadable, ...refused], now);
  };
  const setAside = ({ input, faults }: Malformed) =>
    sendToDeadLetterQueue(JSON.stringify(withDetail({ telemetry: [input] })), detailLines(faults));
  try {
    await allSettled([...own].map(accept));
    await allSettled(malformed.map(setAside));
  } catch (error) {
    // Otherwise all of the event is tried again. The line of the error names neither its devices nor whose they are.
    if (isLastAttempt) log([]);
    throw error;
  }
  log(isLastAttempt ? [] : unknown);
  const drop: Drop | undefined =
    malformed.length > 0 ? { reason: 'malformed', details: malformed.flatMap(placedFaults) } : undefined;
  const isAll = unknown.length === telemetry.length;
  if (unknown.length > 0 && !isLastAttempt)
    throw new EventTooEarly(
      id,
      isAll ? undefined : withDetail({ telemetry: unknown.map(({ sample }) => sample) }),
      drop,
    );
  if (drop) return drop;
  if (unknown.length > 0) return { reason: 'unknown' };
  return accepted > 0 ? undefined : { reason: 'late' };
}

const placedFaults = ({ place, faults }: Malformed): Detail[] =>
  faults.map(({ path, message }) => ({ path: `telemetry.${place}${path && `.${path}`}`, message }));
