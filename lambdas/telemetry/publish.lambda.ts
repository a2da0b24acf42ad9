import * as actions from '../../contract/telemetry/telemetry.actions';
import { faultsIn, readable } from '../runtime/details';
import { SERVICE_FAILED } from '../../domain/telemetry/receipt';
import { Unreadable } from '../../domain/values/judged';
import { Refusal } from '../../domain/values/refusal';
import { answer } from '../sockets/action';
import { acceptTelemetry } from './accept-telemetry';
import { logPublished, type SampleFault } from './publisher-log';

/** A fault with its path in the message. */
const inMessage = ({ index, path, message }: SampleFault): SampleFault => ({
  index,
  path: ['telemetry', index, path].filter((part) => part !== '').join('.'),
  message,
});

export const handler = answer('publish', actions.publish, async ({ session, message: { telemetry }, now }) => {
  const unreadable = telemetry.flatMap((each, index) =>
    each instanceof Unreadable ? faultsIn(each).map((detail) => ({ ...detail, index })) : [],
  );
  const samples = telemetry.flatMap((sample, index) => (sample instanceof Unreadable ? [] : [{ sample, index }]));
  const log = (faults: readonly SampleFault[]) => logPublished(session.clientId, telemetry.entries(), faults, now);
  const { accepted, recorded, refused, warnings } = await acceptTelemetry(
    session.organisation,
    samples.map(({ sample }) => sample),
    now,
  ).catch((error: unknown) => {
    // The line of the error names neither device nor client.
    log([...unreadable, ...samples.map(({ index }) => ({ index, ...SERVICE_FAILED }))]);
    throw error;
  });
  const placed = refused.map((each) => ({ ...each, index: samples[each.index]?.index ?? 0 }));
  const found = [...unreadable, ...placed].toSorted((one, other) => one.index - other.index);
  log(found);
  const faults = found.map(inMessage);
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
