/** The commands that keep a drone from harm, and what lets each of them through. */
import type { commandOrigins, KnownCommand } from './command';

interface Stop {
  /** Whether it ends the flight. Whatever is pending ends as SUPERSEDED when such a command is accepted. */
  readonly endsFlight: boolean;
  /** Whether no limit of commands counts or refuses it. */
  readonly passesLimits: boolean;
  /** For whom it comes through although somebody else holds the device. */
  readonly passesLeaseFor: readonly (typeof commandOrigins)[number][];
  /** Whether viewers of a share may send it whose creator named no commands. */
  readonly isViewersByDefault: boolean;
}

/** `LAND` ends the flight where the drone is, whatever is below it: a stranger needs more for it than for the others. */
export const stops = {
  PAUSE: { endsFlight: false, passesLimits: true, passesLeaseFor: ['partner', 'share'], isViewersByDefault: true },
  RETURN_HOME: { endsFlight: true, passesLimits: true, passesLeaseFor: ['partner', 'share'], isViewersByDefault: true },
  LAND: { endsFlight: true, passesLimits: true, passesLeaseFor: ['partner'], isViewersByDefault: false },
} as const satisfies Partial<Record<KnownCommand, Stop>>;

export type StopName = keyof typeof stops;
export const stopNames = Object.keys(stops) as readonly StopName[];

/** The row of a stop; undefined for another command. */
const findStop = (name: string): Stop | undefined => (isStop(name) ? stops[name] : undefined);

/** Whether a command keeps a drone from harm. */
export const isStop = (name: string): name is StopName => Object.hasOwn(stops, name);

/** Whether a command ends the flight. */
export const endsFlight = (name: string): boolean => findStop(name)?.endsFlight === true;

/** Whether no limit of commands counts or refuses a command. */
export const passesLimits = (name: string): boolean => findStop(name)?.passesLimits === true;

/** Whether a command comes through although somebody else holds the device. */
export const passesLease = (name: string, origin: Stop['passesLeaseFor'][number]): boolean =>
  findStop(name)?.passesLeaseFor.includes(origin) === true;

/** Whether the viewers of a share may send a command if its creator named none. */
export const isViewersByDefault = (name: string): boolean => findStop(name)?.isViewersByDefault !== false;
