import { heardFromPlatform, type HeardType } from '../../contract/platform';
import { registerDevice, registerGroup, removeFromFleet } from '../../data/fleet-registry';
import { reportStatus } from '../../data/reported-status';
import { organisationOf, type Kind, type Organisation } from '../../domain/id';
import { invalid } from '../../domain/refusal';
import type { Sample } from '../../domain/telemetry';
import { allDone } from '../all-done';
import { acceptTelemetry } from '../telemetry/accept';

/** Whose it is. @throws Refusal `invalid_request` for what is no identifier of ours */
function ownerOf(kind: Kind, id: string): Organisation {
  const organisation = organisationOf(kind, id);
  if (!organisation) throw invalid(`${kind}Id`, 'is not an identifier of this service');
  return organisation;
}

/** Each organisation's own samples, as if it had published them. */
async function takeTelemetry(telemetry: readonly Sample[], now: Date): Promise<string | undefined> {
  const owners = new Set(telemetry.map(({ deviceId }) => ownerOf('device', deviceId)));
  let accepted = 0;
  const take = async (owner: Organisation) => {
    const own = telemetry.filter(({ deviceId }) => ownerOf('device', deviceId) === owner);
    accepted += await acceptTelemetry(owner, own, now);
  };
  await allDone([...owners].map(take));
  return accepted > 0 ? undefined : 'late or repeated';
}

/** How each event is worked on; gives why it changed nothing, if so. */
const works: { readonly [Type in HeardType]: (detail: unknown, id: string, now: Date) => Promise<string | undefined> } =
  {
    'job.status.reported': async (detail, id, now) => {
      const { jobId, status } = heardFromPlatform['job.status.reported'].parse(detail);
      const outcome = await reportStatus(jobId, status, `platform-${id}`, now.toISOString());
      // A queue keeps no order: what is missing may be behind it.
      if (outcome === 'early') throw new Error(`${jobId} can't be ${status} yet`);
      return outcome === 'moved' ? undefined : outcome;
    },
    'device.telemetry.reported': (detail, _id, now) =>
      takeTelemetry(heardFromPlatform['device.telemetry.reported'].parse(detail).telemetry, now),
    'device-group.registered': async (detail) => {
      const group = heardFromPlatform['device-group.registered'].parse(detail);
      await registerGroup(ownerOf('group', group.deviceGroupId), group);
      return undefined;
    },
    'device-group.removed': async (detail) => {
      const { deviceGroupId } = heardFromPlatform['device-group.removed'].parse(detail);
      await removeFromFleet(ownerOf('group', deviceGroupId), 'group', deviceGroupId);
      return undefined;
    },
    'device.registered': async (detail) => {
      const device = heardFromPlatform['device.registered'].parse(detail);
      await registerDevice(ownerOf('device', device.deviceId), device);
      return undefined;
    },
    'device.removed': async (detail) => {
      const { deviceId } = heardFromPlatform['device.removed'].parse(detail);
      await removeFromFleet(ownerOf('device', deviceId), 'device', deviceId);
      return undefined;
    },
  };

export const isKnown = (type: string): type is HeardType => Object.hasOwn(works, type);

/**
 * Does what an event of the platform asks for; a repeat has no further effect.
 * @param id of the event
 * @returns why nothing has changed, or undefined
 * @throws ZodError, Refusal for what is malformed or concerns what isn't there; other errors pass with time
 */
export const work = (type: HeardType, detail: unknown, id: string, now: Date): Promise<string | undefined> =>
  works[type](detail, id, now);
