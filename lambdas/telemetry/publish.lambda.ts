import * as actions from '../../contract/telemetry/telemetry.actions';
import { faultsIn, readable } from '../runtime/details';
import { Unreadable } from '../../domain/values/judged';
import { Refusal, type Detail } from '../../domain/values/refusal';
import { answer } from '../sockets/action';
import { acceptTelemetry } from './accept-telemetry';

/** A fault of a sample, by its place in the list. */
type Fault = Detail & { readonly index: number };

const faultOf = (index: number, { path, message }: Detail): Fault => ({
  index,
  path: ['telemetry', index, path].filter((part) => part !== '').join('.'),
  message,
});

export const handler = answer('publish', actions.publish, async ({ session, message: { telemetry }, now }) => {
  const unreadable = telemetry.flatMap((each, index) =>
    each instanceof Unreadable ? faultsIn(each).map((detail) => faultOf(index, detail)) : [],
  );
  const samples = telemetry.flatMap((sample, index) => (sample instanceof Unreadable ? [] : [{ sample, index }]));
  const { accepted, recorded, refused, warnings } = await acceptTelemetry(
    session.organisation,
    samples.map(({ sample }) => sample),
    now,
  );
  const faults = [...unreadable, ...refused.map((each) => faultOf(samples[each.index]?.index ?? 0, each))].toSorted(
    (one, other) => one.index - other.index,
  );
  // When none is left, it is an error as for any other message.
  if (new Set(faults.map(({ index }) => index)).size === telemetry.length)
    throw new Refusal('invalid_request', readable(faults.map(({ path, message }) => ({ path, message }))));
  return {
    type: 'published',
    accepted,
    recorded,
    ...(faults.length > 0 && { refused: faults }),
    ...(warnings.length > 0 && { warnings: warnings.map((each) => ({ code: 'clock_differs', ...each })) }),
  };
});
