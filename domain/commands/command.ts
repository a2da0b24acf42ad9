/** What a device in the air can be told: the name of a command, and its parameters. */
import * as z from 'zod/mini';
import { location } from '../values/destination';
import { text } from '../values/text';
import { freeForm } from '../values/free-form';

/** Where a command is for: a schema of its own, since the documents say something else of it than of a job's place. */
export const commandPosition = z.extend(location, {});

const between = (min: number, max: number) => z.number().check(z.minimum(min), z.maximum(max));

/** Metres above the take-off point, and metres per second, as in the settings of a job's flight. */
const height = z.optional(between(1, 500));
const speed = z.optional(between(0.5, 50));
/** Degrees: up from the horizon, and to the right of the nose. */
const pitch = z.optional(between(-90, 90));
const yaw = z.optional(between(-180, 180));

/** The parameters of each command; what a command does is in docs/guides/steer.md. */
export const commandParameters = {
  PAUSE: {},
  RESUME: {},
  RETURN_HOME: {},
  LAND: {},
  GO_TO: { position: commandPosition, height, speed },
  ORBIT: { position: commandPosition, radius: z.optional(between(1, 1000)), height, speed },
  LOOK_AT: { position: commandPosition },
  GIMBAL: { pitch, yaw },
  TAKE_PHOTO: {},
  START_RECORDING: {},
  STOP_RECORDING: {},
} as const;

export type KnownCommand = keyof typeof commandParameters;
export const commandNames = Object.keys(commandParameters) as readonly KnownCommand[];

export const isKnownCommand = (name: unknown): name is KnownCommand =>
  typeof name === 'string' && Object.hasOwn(commandParameters, name);

/**
 * A name as a program may read it that is careless with it: without spaces, accents and what
 * nobody sees, in one case.
 */
const asRead = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/[\p{C}\p{Z}\p{M}\s]/gu, '')
    .toUpperCase();

/** The known command for which this name may be taken: in another case, with a space, in wide letters. */
const meantBy = (name: string): KnownCommand | undefined =>
  isKnownCommand(name) ? undefined : commandNames.find((known) => known === asRead(name));

/**
 * Whether a device that names its commands obeys this one. What was registered before the rule below may name it in
 * another case.
 */
export const isAmong = (name: string, commands: readonly string[]): boolean =>
  commands.some((each) => each === name || meantBy(each) === name);

/**
 * The name of a command as a viewer sends it, or the platform registers it. Any name passes but a known one that is
 * spelled otherwise: `land` would be sent on, and no rule for `LAND` would hold; a device that obeys `land` would be
 * told no `LAND`.
 */
export const anyCommandName = text(1, 64).check(
  z.refine((name) => meantBy(name) === undefined, {
    error: ({ input }) => `is another spelling of ${meantBy(String(input)) ?? ''}`,
  }),
);

/** Size of a command as JSON, in bytes. */
export const MAX_COMMAND_BYTES = 8192;

/** A command of a viewer, as it is stored and published: its name and parameters. Pure, as `values/metadata.ts` says. */
const checkedCommand = /* @__PURE__ */ freeForm(MAX_COMMAND_BYTES);
export const viewerCommand = /* @__PURE__ */ z.looseObject({ name: anyCommandName }).check(checkedCommand);
export type Command = z.output<typeof viewerCommand>;

/** Who a command comes from: a client of the organisation, a viewer of a share, or this service itself. */
export const commandOrigins = ['partner', 'share', 'service'] as const;
